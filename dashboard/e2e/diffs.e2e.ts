// A change is reviewed line by line, and the comments go to the Developer as one message.
import { expect, open, test } from './fixtures';

test('comments on a change reach the Developer at work, who fixes it', async ({ page, world }) => {
  const run = await world.startApproved({ title: 'Add patiently' });
  await open(page, world, `/ui/runs/${run}/diff`);
  const file = page.getByRole('region', { name: 'calc.sh' });
  await expect(file.getByText('+ $2')).toBeVisible();
  await expect(file.getByText(/edit_file #\d+/)).toBeVisible();

  await file.getByRole('button', { name: 'Comment on line 2', exact: true }).click();
  await page.getByRole('textbox', { name: /comment on/i }).fill('Say it in words');
  await page.keyboard.press('Control+Enter');
  await page
    .getByRole('button', { name: /comments/i })
    .first()
    .click();
  await page.getByRole('button', { name: /send to the developer/i }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  // The message is read there once more until it has gone out.
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('Say it in words')).toBeVisible();

  world.go();
  expect(await world.until(run, 'completed', 'failed')).toBe('completed');
  await expect(page.getByText('# the sum').first()).toBeVisible();
});

test('comments on a change of a run that is done start another one from its branch', async ({
  page,
  world,
}) => {
  const run = await world.startCompleted();
  await open(page, world, `/ui/runs/${run}/diff`);
  const file = page.getByRole('region', { name: 'calc.sh' });
  await file.getByRole('button', { name: 'Comment on line 2', exact: true }).click();
  await page.getByRole('textbox', { name: /comment on/i }).fill('Subtract, too');
  await page.keyboard.press('Control+Enter');
  await page
    .getByRole('button', { name: /comments/i })
    .first()
    .click();
  await page.getByRole('button', { name: /follow-up run/i }).click();
  await page.getByRole('button', { name: 'Start run' }).click();
  await expect(page.getByText('Follow-up run started')).toBeVisible();
  const { items } = await world.get('/workflows');
  expect(items).toHaveLength(2);
});

test('a hunk leads to the call that made it', async ({ page, world }) => {
  await page.setViewportSize({ width: 1280, height: 560 });
  const run = await world.startCompleted();
  for (const path of [`/ui/runs/${run}?tab=diff`, `/ui/runs/${run}/diff`]) {
    await open(page, world, path);
    const link = page.getByRole('link', { name: /^(edit|write)_file #\d+$/ }).first();
    const seq = /#(\d+)/.exec((await link.textContent()) ?? '')?.[1];
    await link.click();
    const stream = page.getByRole('list', { name: 'What happened' });
    const row = stream.locator(`[data-seq="${seq}"][aria-current]`);
    await expect(row).toBeInViewport();
    // After a look elsewhere the same link leads back.
    if (path.includes('tab')) {
      await stream.press('End');
      await expect(row).not.toBeInViewport();
      await link.click();
      await expect(row).toBeInViewport();
    }
  }
});

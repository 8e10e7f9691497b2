// A plan is reviewed like code: read, commented, sent back, edited, approved.
import { expect, open, test } from './fixtures';

test('a plan that is sent back with feedback comes again, and the two can be compared', async ({
  page,
  world,
}) => {
  const run = await world.startPlanned();
  await open(page, world, `/ui/runs/${run}/plan`);
  await expect(page.getByText('Document the usage').first()).toBeVisible();
  await page.getByRole('button', { name: /request changes/i }).click();
  await page.getByRole('dialog').getByRole('textbox').first().fill('One task is enough.');
  await page.getByRole('dialog').getByRole('button', { name: 'Request changes' }).click();
  await expect(page.getByText(/in one task, as you asked/).first()).toBeVisible();
  const { items } = await world.get(`/workflows/${run}/plans`);
  expect(items).toHaveLength(2);
  expect(items[0].feedback).toContain('One task is enough.');
  await page
    .getByRole('button', { name: /^approve/i })
    .first()
    .click();
  expect(await world.until(run, 'completed')).toBe('completed');
});

test('a plan is approved with the keyboard alone', async ({ page, world }) => {
  const run = await world.startPlanned();
  await open(page, world);
  await expect(page.getByRole('button', { name: /^approve/i }).first()).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('a');
  await expect(page.getByText('Nothing needs you')).toBeVisible();
  expect(await world.until(run, 'completed')).toBe('completed');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('a plan is read and approved', async ({ page, world }) => {
    const run = await world.startPlanned();
    await open(page, world);
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wide).toBeLessThanOrEqual(0);
    await page.goto(`${world.url}/ui/runs/${run}/plan`);
    await expect(page.getByText('Add instead of subtract').first()).toBeVisible();
    await page
      .getByRole('button', { name: /^approve/i })
      .first()
      .click();
    expect(await world.until(run, 'completed')).toBe('completed');
  });
});

test('what the server refuses comes back with the reason', async ({ page, world }) => {
  await world.startPlanned();
  await open(page, world);
  const approve = page.getByRole('button', { name: /^approve/i }).first();
  await expect(approve).toBeVisible();
  await page.route(/\/api\/workflows\/[^/]+\/(approve|hitl\/.*)$/, (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/json',
      body: JSON.stringify({
        error: { code: 'WRONG_STATE', message: 'already answered' },
        request_id: 'r',
      }),
    }),
  );
  await approve.click();
  await expect(page.getByText('already answered').first()).toBeVisible();
  await expect(approve).toBeVisible();
});

test('a plan that was made anew meanwhile is not approved unread, and an edit does not replace it', async ({
  page,
  world,
}) => {
  const run = await world.startPlanned();
  await open(page, world, `/ui/runs/${run}/plan?view=edit`);
  const editor = page.getByRole('textbox').first();
  await editor.press('Control+End');
  await editor.pressSequentially('\nOne more line.');
  await world.post(`/workflows/${run}/reject`, { feedback: 'One task is enough.' });
  await expect(page.getByText('The Architect wrote a new plan')).toBeVisible();
  await expect(page.getByRole('button', { name: /approve edited/i })).toBeDisabled();
  await page.getByRole('button', { name: 'Use new plan' }).click();
  await page
    .getByRole('button', { name: /^approve/i })
    .first()
    .click();
  expect(await world.until(run, 'completed')).toBe('completed');
  const { items } = await world.get(`/workflows/${run}/plans`);
  expect(items.at(-1).plan).toContain('in one task, as you asked');
});

test('what is typed after the editor was opened is typed into it', async ({ page, world }) => {
  const run = await world.startPlanned();
  await open(page, world, `/ui/runs/${run}/plan`);
  await expect(page.getByRole('button', { name: /^approve/i })).toBeVisible();
  await page.waitForTimeout(600);
  await page.keyboard.press('e');
  const editor = page.getByRole('textbox', { name: 'Plan (Markdown)' });
  await expect(editor).toBeFocused();
  await page.keyboard.type('area ');
  await expect(editor).toHaveValue(/^area /);
  // Without the focus, letters decide nothing, either.
  await editor.blur();
  await page.keyboard.type('ar');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect((await world.get(`/workflows/${run}`)).status).toBe('awaiting_approval');
  await editor.focus();
  await page.keyboard.press('Escape');
  await expect(page.getByText('With your edits.')).toBeVisible();
  await expect(page.getByText(/^area #/).first()).toBeVisible();
});

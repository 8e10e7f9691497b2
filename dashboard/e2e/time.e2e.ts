// The past of a run: shown with the slider, continued in a fork.
import { expect, open, test } from './fixtures';

test('the slider shows the run as it was, and a fork continues from there', async ({
  page,
  world,
}) => {
  const run = await world.startCompleted();
  await open(page, world, `/ui/runs/${run}`);
  const slider = page.getByRole('slider', { name: 'Position in the run' });
  await slider.focus();
  await page.keyboard.press('Home');
  await expect(page.getByText(/as of #/)).toBeVisible();
  await page.getByRole('button', { name: /back to now/i }).click();
  await expect(page.getByText(/as of #/)).toHaveCount(0);

  const { items } = await world.get(`/workflows/${run}/checkpoints?limit=500`);
  const planned = items.find((one: { nodes: string[] }) => one.nodes.includes('approve'));
  await page.goto(`${world.url}/ui/runs/${run}?at=${planned.sequence}`);
  await page.getByRole('button', { name: /fork here/i }).click();
  await page.getByRole('dialog').getByRole('button', { name: /^fork/i }).click();
  await page.waitForURL((url) => !url.pathname.includes(run) && url.pathname.includes('/runs/'));
  const fork = page.url().match(/runs\/([0-9a-f-]+)/)?.[1] ?? '';
  expect((await world.get(`/workflows/${fork}`)).forked_from.workflow_id).toBe(run);
});

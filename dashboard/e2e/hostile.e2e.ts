// The words of issues, models, tools and files are text: never a script, a tag, an address that is loaded.
import { expect, open, test } from './fixtures';

test.use({ script: 'hostile' });

const TITLE = `<img src=x onerror="window.broken='title'"> "><script>window.broken='title'</script>`;
const TEXT = `</textarea></script><svg onload="window.broken='text'"> [link](javascript:window.broken='link') ![i](http://127.0.0.1:1/x.png) {{7*7}} \${7*7}`;

test('hostile text everywhere stays text', async ({ page, world }) => {
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(world.url) && !request.url().startsWith('data:'))
      foreign.push(request.url());
  });
  page.on('dialog', (dialog) => foreign.push(`a dialog: ${dialog.message()}`));
  const run = await world.startPlanned({ issue_id: 'X-1', title: TITLE, description: TEXT });
  const broken = () => page.evaluate(() => Reflect.get(window, 'broken'));

  await open(page, world);
  await expect(page.getByText('window.broken').first()).toBeVisible();
  expect(await broken()).toBeUndefined();
  await page.goto(`${world.url}/ui/runs/${run}/plan`);
  await expect(page.getByText('onerror').first()).toBeVisible();
  expect(await broken()).toBeUndefined();
  for (const link of await page.getByRole('link').all()) {
    expect(await link.getAttribute('href')).not.toMatch(/^\s*javascript:/i);
  }

  await world.post(`/workflows/${run}/approve`);
  await world.until(run, 'completed', 'failed', 'paused');
  for (const tab of ['plan', 'diff', 'checks', 'review', 'artifacts', 'cost', 'events', 'trace']) {
    await page.goto(`${world.url}/ui/runs/${run}?tab=${tab}`);
    await expect(page.getByRole('tab', { selected: true })).toBeVisible();
    await page.waitForTimeout(400);
    expect(await broken()).toBeUndefined();
  }
  await page.goto(`${world.url}/ui/runs/${run}/diff`);
  await expect(page.getByText('onload').first()).toBeVisible();
  expect(await broken()).toBeUndefined();
  await page.goto(`${world.url}/ui/compare?a=${run}&b=${run}`);
  await page.goto(`${world.url}/ui/usage`);
  await page.waitForTimeout(300);
  expect(await broken()).toBeUndefined();
  expect(foreign).toEqual([]);
});

// An MCP server asks a person in the middle of a call: the answer is filled in, checked, and reaches the server.
import { expect, open, test } from './fixtures';

test.use({ script: 'elicitation' });

test('a question of an MCP server is answered with a form', async ({ page, world }) => {
  const run = await world.startEliciting();
  await open(page, world, `/ui/runs/${run}`);
  await page.getByRole('button', { name: /^Answer/ }).click();
  const form = page.getByRole('form', { name: 'Answer to everything' });
  const name = form.getByLabel('String', { exact: true });
  await expect(name).toBeFocused();
  await form.getByLabel('Integer', { exact: true }).fill('1000');
  await page.keyboard.press('Enter');
  await expect(form.getByText('Enter 100 or less.')).toBeVisible();
  await expect(name).toBeFocused();
  // Letters that are keys of the page elsewhere.
  await page.keyboard.type('Ada');
  await form.getByLabel('Integer', { exact: true }).fill('7');
  await form.getByRole('checkbox', { name: 'Piano' }).click();
  await page.keyboard.press('p');
  await form.getByRole('button', { name: /^Send/ }).click();
  expect(await world.until(run, 'completed')).toBe('completed');
  const { items } = await world.get(`/workflows/${run}/events?limit=500`);
  expect(JSON.stringify(items)).toContain('Favorite Integer: 7');
  await expect(page.getByText('She is Ada.').first()).toBeVisible();
  await expect(page.getByText(/Answered: .*name=Ada/)).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('it is declined in the inbox', async ({ page, world }) => {
    const run = await world.startEliciting();
    await open(page, world);
    await page.getByRole('button', { name: /^Answer/ }).tap();
    const form = page.getByRole('form', { name: 'Answer to everything' });
    await form.getByRole('button', { name: 'Decline' }).tap();
    expect(await world.until(run, 'completed')).toBe('completed');
    await page.goto(`${world.url}/ui/runs/${run}`);
    await expect(page.getByText('She will not say.').first()).toBeVisible();
  });
});

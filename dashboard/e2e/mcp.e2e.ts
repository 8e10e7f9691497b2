// MCP servers: listed without starting them, connected, called, and their failures shown without secrets.
import { expect, open, test } from './fixtures';

test('the tools of a server are listed and called, and a failure is shown', async ({
  page,
  world,
}) => {
  world.addMemoryServer();
  await open(page, world, '/ui/');
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await expect(page.getByRole('heading', { name: 'MCP servers' })).toBeVisible();
  const card = (name: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) });
  const memory = card('memory');
  await expect(memory).toContainText('Not connected');
  await memory.getByRole('button', { name: 'Connect' }).click();
  await expect(memory).toContainText('Connected');
  const tools = memory.getByRole('list', { name: 'Tools of memory' });
  await tools.getByRole('button', { name: /memory:read_graph/ }).click();
  await expect(tools).toContainText('Input schema');

  await memory.getByRole('button', { name: 'Try a call' }).click();
  const text = memory.getByRole('textbox', { name: 'Arguments (JSON)' });
  await expect(text).toHaveValue(/"entities": \[\]/);
  await text.fill('{');
  await expect(memory.getByRole('button', { name: 'Call', exact: true })).toBeDisabled();
  const entity = { name: 'river', entityType: 'water', observations: ['it is long'] };
  await text.fill(JSON.stringify({ entities: [entity] }));
  await memory.getByRole('button', { name: 'Call', exact: true }).click();
  await expect(memory).toContainText('Succeeded');
  await expect(memory).toContainText('it is long');

  const broken = card('broken');
  await broken.getByRole('button', { name: 'Connect' }).click();
  await expect(broken.getByRole('alert')).toContainText('no licence for');
  await expect(broken).toContainText('Failed');
  expect(await page.content()).not.toContain('never-shown-4711');
});

// The tree of a run with sub-agents: opened down to what failed, followed into the stream, read as conversations.
import { expect, open, test } from './fixtures';

test.use({ script: 'delegate' });

test('sub-agents stand under the calls that started them', async ({ page, world }) => {
  world.addDelegates();
  const input = { workflow: 'delegate', prompt: 'Do it', worktree_path: world.repository };
  const { id: run } = await world.post('/tasks', input);
  expect(await world.until(run, 'completed', 'failed')).toBe('completed');
  await open(page, world, `/ui/runs/${run}?tab=trace&zoom=tree`);
  const tree = page.getByRole('list', { name: 'Time and cost by step' });
  await expect(tree.getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: '1 failed', exact: true }).click();
  const failed = tree.getByRole('listitem').filter({ hasText: 'read_file' });
  await expect(failed).toBeFocused();
  await expect(failed).toContainText('does not exist');
  await failed.getByRole('link').click();
  await expect(page.locator('[data-seq][aria-current="true"]')).toContainText('read_file');

  await tree.getByRole('button', { name: 'Read the messages of Researcher' }).click();
  const sheet = page.getByRole('dialog', { name: 'Researcher' });
  await expect(sheet).toContainText('Find out which files there are.');
  await expect(sheet).toContainText('There is a calc.sh.');
  await sheet.getByRole('button', { name: 'Read the messages of Reader' }).click();
  await expect(page.getByRole('dialog', { name: 'Reader' })).toContainText('It is not there.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  // By keyboard: closed and opened again.
  const manager = tree.getByRole('listitem').nth(1);
  await manager.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(tree.getByRole('listitem')).toHaveCount(2);
  await page.keyboard.press('ArrowRight');
  await expect(tree.getByRole('button', { name: 'Close Researcher' })).toBeVisible();
});

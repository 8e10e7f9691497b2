// Workflows from files: seen, checked while they are typed, started, and followed to their end.
import { expect, open, test } from './fixtures';

const listOf = (repository: string) => `/ui/workflows?${new URLSearchParams({ repository })}`;

test('a workflow is checked as it is typed, started, and followed to its end', async ({
  page,
  world,
}) => {
  await world.addWorkflows('essay');
  await open(page, world, listOf(world.repository));
  const workflows = page.getByRole('list', { name: 'Workflows' });
  await expect(workflows.getByRole('listitem')).toHaveCount(12);
  await expect(page.getByRole('list', { name: 'Agents' })).toContainText('writes drafts');
  await workflows.getByRole('link', { name: 'essay' }).click();
  await expect(page.getByRole('heading', { name: 'essay' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Graph' })).toContainText('review');
  await expect(page.getByRole('list', { name: 'Conditions' })).toContainText('state.score >= 0.8');

  const text = page.getByRole('textbox', { name: 'Text of the workflow' });
  const before = await text.inputValue();
  await text.fill(before.replace('agent: writer', 'agent: wrter'));
  const problems = page.getByRole('list', { name: 'Problems' });
  await expect(problems).toContainText('nodes.write.agent: there is no agent wrter');
  await problems.getByRole('button', { name: '5:26' }).click();
  await expect(text).toBeFocused();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByText('No problems')).toBeVisible();

  await page.getByRole('textbox', { name: 'Task' }).fill('About rivers');
  await expect(page.getByText('amelia --home', { exact: false }).last()).toContainText(
    'workflow run essay',
  );
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Start/ })
    .click();
  await page.waitForURL(/\/ui\/runs\//);
  await expect(page.getByText('Publish it with a score of 0.9?').first()).toBeVisible();
  const graph = page.getByRole('region', { name: 'Pipeline' });
  await expect(graph.getByRole('group', { name: 'write' })).toContainText('×2');
  await page
    .getByRole('button', { name: /^approve/i })
    .first()
    .click();
  await expect(page.getByText('Completed').first()).toBeVisible();
  await expect(graph.getByRole('group', { name: 'save' })).toContainText('passed');
});

test('a file with problems is listed with them and cannot be started', async ({ page, world }) => {
  await world.addWorkflows('essay');
  const { writeFileSync } = await import('node:fs');
  const file = `${world.repository}/.amelia/workflows/broken.yaml`;
  writeFileSync(
    file,
    'name: broken\nentry_point: a\nnodes:\n  a: { type: agent, agent: nobody }\n',
  );
  await open(page, world, listOf(world.repository));
  const row = page.getByRole('listitem').filter({ hasText: 'broken' });
  await expect(row).toContainText('1 problem');
  await row.getByRole('link').click();
  await expect(page.getByRole('list', { name: 'Problems' })).toContainText('4:');
  await expect(page.getByRole('main').getByRole('button', { name: /^Start/ })).toBeDisabled();
  await expect(page.getByText('The file has problems. Fix them first.')).toBeVisible();
});

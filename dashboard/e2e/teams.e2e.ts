// Teams: written and checked as they are typed, started, followed to their end, and stopped on the way.
import { expect, open, test } from './fixtures';

const listOf = (repository: string) => `/ui/teams?${new URLSearchParams({ repository })}`;

test('a team is started from its page, and its run shows who handed to whom and why', async ({
  page,
  world,
}) => {
  await world.addTeam('writer_critic');
  await open(page, world, listOf(world.repository));
  const teams = page.getByRole('list', { name: 'Teams' });
  await expect(teams).toContainText('2 agents');
  await teams.getByRole('link', { name: 'writer_critic' }).click();
  await expect(page.getByRole('region', { name: 'Graph' })).toContainText('critic');
  const start = page.getByRole('main').getByRole('button', { name: /^Start/ });
  await expect(start).toBeDisabled();
  await page.getByRole('textbox', { name: 'Task' }).fill('About rivers');
  await expect(page.getByText('amelia --home', { exact: false }).last()).toContainText(
    'team run writer_critic',
  );
  await start.click();
  await page.waitForURL(/\/ui\/runs\//);
  await expect(page.getByText('Completed').first()).toBeVisible();

  const handoffs = page.getByRole('list', { name: 'Handoffs', exact: true });
  await expect(handoffs.getByRole('listitem')).toHaveCount(3);
  await expect(handoffs.getByRole('listitem').nth(1)).toContainText('say what rivers do');
  const graph = page.getByRole('region', { name: 'Agents as a graph' });
  await expect(graph.getByRole('img', { name: /^writer: .*2 turns/ })).toBeVisible();
  const agents = page.getByRole('list', { name: 'Agents of the team' });
  await expect(agents.getByRole('listitem').first()).toContainText('turn ended');

  // A moment that is over is shown as it was then.
  const url = new URL(page.url());
  url.searchParams.set('at', '20');
  await page.goto(url.href);
  await expect(handoffs.getByRole('listitem')).toHaveCount(1);
});

test('a vote shows every proposal with its votes and their reasons', async ({ page, world }) => {
  await world.addTeam('bridge_board');
  const run = await world.startTeam('bridge_board');
  await world.until(run, 'completed');
  await open(page, world, `/ui/runs/${run}`);
  const votes = page.getByRole('list', { name: 'Votes' });
  await expect(votes).toHaveCount(2);
  const [latest, first] = [votes.nth(0), votes.nth(1)];
  await expect(first).toContainText('Too expensive.');
  await expect(first.getByRole('listitem').filter({ hasText: 'mayor' })).toContainText('reject');
  await expect(latest.getByRole('listitem').filter({ hasText: 'skeptic' })).toContainText(
    'A ferry is enough.',
  );
  await expect(page.getByText('2 for it, 1 against it')).toBeVisible();
  await expect(page.getByText('accepted', { exact: true })).toBeVisible();
  await expect(page.getByText('rejected', { exact: true })).toBeVisible();
});

test('lanes, delegations and teams inside teams are shown, on a phone too', async ({
  page,
  world,
}) => {
  await world.addTeam('both_banks');
  await world.addTeam('led_delivery');
  await world.addTeam('newsroom', 'writer_critic');
  const [lanes, led, nested] = [
    await world.startTeam('both_banks'),
    await world.startTeam('led_delivery'),
    await world.startTeam('newsroom'),
  ];
  for (const run of [lanes, led, nested]) await world.until(run, 'completed');

  await open(page, world, `/ui/runs/${lanes}`);
  const points = page.getByRole('list', { name: 'Sync points of nature' });
  await expect(points).toContainText('facts: arrived');
  await page.goto(`${world.url}/ui/runs/${led}`);
  const delegations = page.getByRole('list', { name: 'Delegations' });
  await expect(delegations.getByRole('listitem')).toHaveCount(2);
  await expect(delegations.getByRole('listitem').first()).toContainText('Write rivers.sh.');
  await expect(delegations.getByRole('listitem').first()).toContainText('returned after');

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${world.url}/ui/runs/${nested}`);
  await page.getByRole('tab', { name: 'Team' }).click();
  const inner = page.getByRole('region', { name: 'Agents of desk as a graph' });
  await expect(inner.getByRole('img', { name: /^desk\/writer/ })).toBeVisible();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});

test('a team is checked and drawn as it is typed, saved, changed and deleted', async ({
  page,
  world,
}) => {
  await open(page, world, listOf(world.repository));
  await page.getByRole('link', { name: 'New team' }).click();
  const text = page.getByRole('textbox', { name: 'Text of the team' });
  const graph = page.getByRole('region', { name: 'Graph' });
  await expect(graph).toContainText('critic');
  const save = page.getByRole('button', { name: /^Save/ });
  await expect(save).toBeEnabled();

  const before = await text.inputValue();
  await text.fill(before.replace('to_agent: critic', 'to_agent: critc'));
  const problems = page.getByRole('list', { name: 'Problems' });
  await expect(problems).toContainText('handoff_rules[0].to_agent: there is no agent critc');
  await expect(save).toBeDisabled();
  await problems.getByRole('button', { name: '16:27' }).click();
  await expect(text).toBeFocused();

  await text.fill(before.replaceAll('critic', 'judge'));
  await expect(graph).toContainText('judge');
  await page.keyboard.press('ControlOrMeta+s');
  await page.waitForURL(/\/ui\/teams\/news/);
  await expect(page.getByRole('heading', { name: 'news' })).toBeVisible();
  await expect(page.getByText('No problems')).toBeVisible();

  await text.fill((await text.inputValue()).replace('Writes', 'writes').replace('judges', 'reads'));
  await save.click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect((await world.get('/teams/news')).definition.agents[1].role).toBe('reads the text');

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/ui\/teams\?/);
  await expect(page.getByText('No teams yet')).toBeVisible();
});

test('a run of a team stops at breakpoints, goes on step by step, and continues', async ({
  page,
  world,
}) => {
  await world.addTeam('writer_critic');
  const query = new URLSearchParams({ repository: world.repository });
  await open(page, world, `/ui/teams/writer_critic?${query}`);
  await page.getByRole('textbox', { name: 'Task' }).fill('About rivers');
  await page.getByRole('textbox', { name: 'Breakpoints' }).fill('agent:critic');
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.waitForURL(/\/ui\/runs\//);
  await expect(page.getByText(/agent:critic/).first()).toBeVisible();
  const handoffs = page.getByRole('list', { name: 'Handoffs', exact: true });
  await expect(handoffs.getByRole('listitem')).toHaveCount(1);

  await page.keyboard.press('b');
  const dialog = page.getByRole('dialog', { name: 'Breakpoints' });
  const list = dialog.getByRole('list', { name: 'Breakpoints' });
  await expect(list).toContainText('agent:critic');
  await dialog.getByRole('combobox', { name: 'Agent' }).fill('nobody');
  await dialog.getByRole('textbox', { name: 'Condition' }).fill('turns >');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Condition' }).fill('turns > 1');
  await dialog.getByRole('combobox', { name: 'Agent' }).fill('writer');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expect(list).toContainText('agent:writer if turns > 1');
  await dialog.getByRole('button', { name: 'Remove agent:critic' }).click();
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await page.keyboard.press('Escape');

  const main = page.getByRole('main');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await expect(main.getByRole('button', { name: /Leave step mode/ }).first()).toBeVisible();
  await main
    .getByRole('button', { name: /Leave step mode/ })
    .first()
    .click();
  await expect(page.getByText(/agent:writer if turns > 1/).first()).toBeVisible();
  await main
    .getByRole('button', { name: /^Resume/ })
    .first()
    .click();
  await expect(page.getByText('Completed').first()).toBeVisible();
  await expect(handoffs.getByRole('listitem')).toHaveCount(3);
});

test('a person tells an agent something, says who is next, and changes the team', async ({
  page,
  world,
}) => {
  await world.addTeam('writer_critic');
  const run = await world.startTeam('writer_critic', { breakpoints: ['critic'] });
  await world.until(run, 'paused', 'awaiting_approval');
  await open(page, world, `/ui/runs/${run}`);
  const dialog = page.getByRole('dialog', { name: 'Intervene' });
  const send = () => dialog.getByRole('button', { name: 'Intervene' }).click();

  await expect(page.getByRole('list', { name: 'Agents of the team' })).toBeVisible();
  await page.keyboard.press('i');
  await dialog.getByLabel('Message').fill('Name no numbers');
  await send();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('Name no numbers').first()).toBeVisible();

  await page.keyboard.press('i');
  await dialog.getByRole('radio', { name: 'Next agent' }).click();
  await dialog.getByRole('combobox', { name: 'Next agent' }).click();
  await page.getByRole('option', { name: /writer/ }).click();
  await send();
  await expect(dialog).toHaveCount(0);

  await page.keyboard.press('i');
  await dialog.getByRole('radio', { name: 'Team' }).click();
  const team = dialog.getByRole('textbox', { name: 'Team' });
  await team.fill((await team.inputValue()).replace('judges the text', 'judges every text'));
  await expect(dialog).toContainText('Changes:');
  await send();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('judges every text').first()).toBeVisible();

  await world.call('PUT', `/workflows/${run}/breakpoints`, { breakpoints: [] });
  await world.post(`/workflows/${run}/continue`);
  await world.until(run, 'completed');
  // Without the change of turns it would have had two.
  const graph = page.getByRole('region', { name: 'Agents as a graph' });
  await expect(graph.getByRole('img', { name: /^writer: .*3 turns/ })).toBeVisible();
});

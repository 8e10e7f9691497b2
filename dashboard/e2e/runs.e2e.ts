// From the start of a run to reviewed commits, in the browser alone.
import { execFileSync } from 'node:child_process';
import { expect, open, test } from './fixtures';

test('the link in the terminal signs a browser in', async ({ page, world }) => {
  await open(page, world);
  await expect(page.getByRole('navigation').first()).toBeVisible();
  expect(page.url()).not.toContain(world.token);
});

test('an unauthenticated browser is asked to sign in, and accepts the token', async ({
  page,
  world,
}) => {
  await page.goto(`${world.url}/ui/`);
  await page.getByRole('textbox').fill(world.token);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: /start your first run/i }).first()).toBeVisible();
});

test('start, approve, done', async ({ page, world }) => {
  await open(page, world, '/ui/start');
  await page.getByRole('combobox', { name: 'Repository' }).fill(world.repository);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('combobox', { name: 'Profile' })).toContainText('crew');
  await page.getByLabel('Title').fill('calc.sh does not add');
  await page.getByRole('button', { name: /^start/i }).click();

  await page.waitForURL(/\/ui\/runs\/[0-9a-f-]+/);
  // The pipeline has a stage of that name, too.
  const why = page.getByRole('region', { name: 'Why this run is waiting' });
  await why.getByRole('button', { name: /^approve/i }).click();

  await expect(page.getByText('Completed', { exact: true }).first()).toBeVisible({
    timeout: 30_000,
  });
  const run = page.url().match(/runs\/([0-9a-f-]+)/)?.[1] ?? '';
  const { branch } = await world.get(`/workflows/${run}/diff?stat=true`);
  const log = execFileSync('git', ['log', '--format=%s', `main..${branch}`], {
    cwd: world.repository,
  });
  expect(log.toString().trim().split('\n')).toHaveLength(2);
});

test('what is done in the terminal is on the screen without a reload', async ({ page, world }) => {
  await open(page, world);
  const run = await world.startRun({ title: 'Started elsewhere' });
  await expect(page.getByText('Started elsewhere').first()).toBeVisible();
  await world.until(run, 'awaiting_approval');
  await expect(page).toHaveTitle(/\(1\)/);
  world.cli('approve', run);
  await expect(page).not.toHaveTitle(/\(1\)/);
  await expect(page.getByText('Nothing needs you')).toBeVisible();
});

test('two tabs agree', async ({ page, context, world }) => {
  const run = await world.startPlanned();
  await open(page, world);
  const other = await context.newPage();
  await other.goto(`${world.url}/ui/`);
  await expect(other.getByRole('button', { name: /^approve/i }).first()).toBeVisible();
  await page
    .getByRole('button', { name: /^approve/i })
    .first()
    .click();
  await expect(other.getByText('Nothing needs you')).toBeVisible();
  await world.until(run, 'completed');
  await expect(other.getByRole('region', { name: /^Completed/ })).toBeVisible();
});

test('an archived run leaves the board, and the filter shows it', async ({ page, world }) => {
  await world.startPlanned({ title: 'Stays here' });
  const run = await world.startPlanned({ title: 'Soon archived' });
  world.cli('cancel', run);
  await open(page, world, `/ui/runs/${run}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await expect(page.getByRole('menuitem', { name: 'Open worktree in VS Code' })).toBeVisible();
  await page.getByRole('menuitem', { name: 'Archive' }).first().click();
  await expect(page.getByText('Archived', { exact: true }).first()).toBeVisible();
  await page.goto(`${world.url}/ui/`);
  await expect(page.getByText('Stays here').first()).toBeVisible();
  await expect(page.getByText('Soon archived')).toBeHidden();
  await page.goto(`${world.url}/ui/?status=archived`);
  await expect(page.getByText('Soon archived').first()).toBeVisible();
});

test('when all runs are archived, the page says so and shows them', async ({ page, world }) => {
  const run = await world.startPlanned({ title: 'The only one' });
  world.cli('cancel', run);
  await open(page, world, `/ui/runs/${run}`);
  const archive = async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).first().click();
  };
  await archive();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await world.get(`/workflows/${run}`)).is_archived).toBe(false);
  await archive();
  await expect.poll(async () => (await world.get(`/workflows/${run}`)).is_archived).toBe(true);
  await page.goto(`${world.url}/ui/`);
  await expect(page.getByText('All runs are archived')).toBeVisible();
  await expect(page.getByText('Start your first run')).toBeHidden();
  await page.getByRole('button', { name: 'Show archived runs' }).click();
  await page
    .getByRole('link', { name: /The only one/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Unarchive' }).first().click();
  await page.goto(`${world.url}/ui/`);
  await expect(page.getByText('The only one').first()).toBeVisible();
});

test('a run is cancelled, and says so', async ({ page, world }) => {
  const run = await world.startApproved({ title: 'Add patiently' });
  await open(page, world, `/ui/runs/${run}`);
  await expect(page.getByText(/until \[ -e/).first()).toBeVisible();
  await page
    .getByRole('button', { name: /cancel/i })
    .first()
    .click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /cancel the run|cancel it|stop|cancel run/i })
    .click();
  await expect(page.getByText('Cancelled', { exact: true }).first()).toBeVisible();
  expect(await world.until(run, 'cancelled')).toBe('cancelled');
});

test('the server dies and comes back in the middle: no event is missing, none is there twice', async ({
  page,
  world,
}) => {
  const run = await world.startApproved({ title: 'Add patiently' });
  await open(page, world, `/ui/runs/${run}?tab=events`);
  await expect(page.getByText(/until \[ -e/).first()).toBeVisible();
  await world.kill();
  await expect(page.getByText(/disconnected/i).first()).toBeVisible();
  await world.startServer();
  world.go();
  await expect(page.getByText(/disconnected/i)).toHaveCount(0, { timeout: 30_000 });
  await expect(page.getByText('Completed', { exact: true }).first()).toBeVisible({
    timeout: 45_000,
  });
  const { sequence } = await world.get(`/workflows/${run}`);
  await expect(page.getByText(`#${sequence}`).first()).toBeVisible();
});

test('a run is found in the palette by its title', async ({ page, world }) => {
  const run = await world.startRun({ title: 'Count to ten' });
  await open(page, world, '/ui/usage');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/search|command/i).fill('count to');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/runs/${run}`));
});

test.describe('with one round of review', () => {
  test.use({ script: 'demo', profile: { max_review_rounds: 1 } });

  test('what is left when the rounds are used up is accepted on the page of the run', async ({
    page,
    world,
  }) => {
    const run = await world.startApproved();
    await world.until(run, 'paused', 'awaiting_approval');
    await open(page, world, `/ui/runs/${run}`);
    const why = page.getByRole('region', { name: 'Why this run is waiting' });
    await expect(why.getByText('Rounds used up')).toBeVisible();
    await expect(why.getByRole('button', { name: /^continue/i })).toBeVisible();
    await expect(why.getByRole('button', { name: /^cancel run/i })).toBeVisible();
    const accept = why.getByRole('button', { name: /^accept as is/i });
    await accept.click();
    await expect(page.getByText('Accepted as is').first()).toBeVisible();
    // The second task has a review of its own.
    await accept.click();
    expect(await world.until(run, 'completed')).toBe('completed');
    await expect(page.getByText('Completed', { exact: true }).first()).toBeVisible();
  });
});

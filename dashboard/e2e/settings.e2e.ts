// What is edited in the browser is what is changed, and nothing else.
import { execFileSync } from 'node:child_process';
import { expect, open, test } from './fixtures';

/** Every field that a profile may have is said, also those that no form shows. */
const WHOLE = {
  max_review_rounds: 4,
  parallel_tasks: 3,
  plan_output_dir: 'plans/of/ours',
  budgets: { per_run: { usd: 2.5, tokens: 100_000 }, per_agent: { calls: 40 } },
  checks: [
    { name: 'tests', command: './test.sh', timeout: 61 },
    { name: 'lint', command: 'true', timeout: 7 },
  ],
};

test('a profile that is edited keeps every other field', async ({ page, world }) => {
  await world.post('/profiles', world.profile('whole', WHOLE));
  const before = await world.get('/profiles/whole');
  await open(page, world, '/ui/settings/profiles/whole');
  const rounds = page.getByLabel('Review rounds per task');
  await expect(rounds).toHaveValue('4');
  await rounds.fill('6');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: /^save/i }).click();
  await expect.poll(async () => (await world.get('/profiles/whole')).max_review_rounds).toBe(6);
  expect(await world.get('/profiles/whole')).toEqual({ ...before, max_review_rounds: 6 });
});

test('what another person saved meanwhile is not overwritten', async ({ page, world }) => {
  await world.post('/profiles', world.profile('shared', WHOLE));
  await open(page, world, '/ui/settings/profiles/shared');
  await page.getByLabel('Review rounds per task').fill('6');
  const { is_active: _, ...theirs } = await world.get('/profiles/shared');
  await world.call('PUT', '/profiles/shared', { ...theirs, parallel_tasks: 2 });
  const save = async () => {
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^save/i }).click();
  };
  await save();
  await expect(page.getByText('This profile was changed by someone else')).toBeVisible();
  expect((await world.get('/profiles/shared')).max_review_rounds).toBe(4);
  await page.getByRole('button', { name: 'Keep my changes' }).click();
  await save();
  await expect.poll(async () => (await world.get('/profiles/shared')).max_review_rounds).toBe(6);
  expect((await world.get('/profiles/shared')).parallel_tasks).toBe(2);
});

test('a prompt gets a new version, and is reset to the default', async ({ page, world }) => {
  await open(page, world, '/ui/settings/prompts/developer.system');
  const text = page.getByRole('textbox').first();
  await expect(text).not.toHaveValue('');
  await text.fill('You are a careful developer.');
  await page.getByRole('button', { name: /^save/i }).first().click();
  await expect.poll(async () => (await world.get('/prompts/developer.system')).is_own).toBe(true);
  await page
    .getByRole('button', { name: /reset to default/i })
    .first()
    .click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /reset to default/i })
    .click();
  await expect.poll(async () => (await world.get('/prompts/developer.system')).is_own).toBe(false);
});

test('the doctor says what it found', async ({ page, world }) => {
  await open(page, world, '/ui/doctor');
  await expect(page.getByText(/git version/).first()).toBeVisible();
  const finding = (text: string | RegExp) => page.getByRole('listitem').filter({ hasText: text });
  // Commands that are not confined are no good news, and keys that no profile uses are no bad news.
  await expect(finding('without a sandbox')).toContainText('sandbox warning');
  await expect(finding(/^keys/)).not.toContainText('warning');
});

test('the doctor says whose name is on the commits of the repository that is asked about', async ({
  page,
  world,
}) => {
  const other = world.addRepository('other');
  execFileSync('git', ['config', 'user.name', 'Grace'], { cwd: other });
  await open(page, world, '/ui/doctor');
  const identity = page.getByRole('listitem').filter({ hasText: /^identity/ });
  await expect(identity).toContainText(`commits in ${world.repository} are by Ada`);
  await page.getByLabel('Repository').fill(other);
  await expect(identity).toContainText(`commits in ${other} are by Grace <ada@example.org>`);
});

test('a new token sends browsers with the old one to the sign-in', async ({ page, world }) => {
  await open(page, world, '/ui/');
  await expect(page.getByRole('link', { name: 'Home' }).first()).toBeVisible();
  const { token } = await world.post('/session/rotate');
  world.token = token;
  await expect(page.getByLabel('Or paste the token')).toBeVisible();
});

// Every screen, light and dark, on a desktop and on a phone, into `dashboard/test-results/screens`: to be looked at.
// Names as arguments take only those. `--readme` writes those that the README shows, into `docs/images`.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { ATTACHED, World } from './world.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const forReadme = process.argv.includes('--readme');
const out = forReadme ? join(here, '../../docs/images') : join(here, '../test-results/screens');

const browserPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path && existsSync(path),
);
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Name, path, and what is to be done there before the picture is taken. */
function screens({
  done,
  waiting,
  failed,
  working,
  cancelled,
  limited,
  permission,
  merged,
  opened,
  essay,
  repository,
}) {
  return [
    ['home', '/ui/'],
    ['home-list', '/ui/?view=list'],
    ['run', `/ui/runs/${done}`],
    ['run-working', `/ui/runs/${working}`],
    ['run-waiting', `/ui/runs/${waiting}`],
    ['run-failed', `/ui/runs/${failed}`],
    ['run-cancelled', `/ui/runs/${cancelled}`],
    ['run-limited', `/ui/runs/${limited}`],
    ['run-merged', `/ui/runs/${merged}`],
    ['run-pull-request', `/ui/runs/${opened}`],
    ['permission', `/ui/runs/${permission}`],
    ['permission-rule', `/ui/runs/${permission}`, press(/^always allow/i)],
    ['merge', `/ui/runs/${done}`, press(/^merge$/i)],
    ['pull-request', `/ui/runs/${done}`, press(/^open pull request$/i)],
    ['menu', `/ui/runs/${done}`, press('More actions')],
    ['pipeline', `/ui/runs/${done}?tab=pipeline`],
    ...['plan', 'diff', 'checks', 'review', 'artifacts', 'cost', 'events', 'trace'].map((tab) => [
      `run-${tab}`,
      `/ui/runs/${done}?tab=${tab}`,
    ]),
    ['run-past', `/ui/runs/${done}?at=60`],
    ['plan-review', `/ui/runs/${waiting}/plan`],
    ['diff-review', `/ui/runs/${done}/diff`],
    ['start', '/ui/start'],
    ['start-attached', '/ui/start', attach],
    ['attached', `/ui/runs/${waiting}?tab=artifacts`],
    ['archived', '/ui/?status=archived&view=list'],
    ['workflows', `/ui/workflows?repository=${repository}`],
    ['workflow', `/ui/workflows/essay?repository=${repository}`],
    ['workflow-problem', `/ui/workflows/essay?repository=${repository}`, mistype],
    ['agent', `/ui/agents/writer?repository=${repository}`],
    ['run-of-workflow', `/ui/runs/${essay}`],
    ['mcp', '/ui/mcp', connect],
    ['memory', '/ui/memory'],
    ['compare', `/ui/compare?a=${done}&b=${failed}`],
    ['usage', '/ui/usage'],
    ['settings-profiles', '/ui/settings/profiles'],
    ['settings-profile', '/ui/settings/profiles/crew'],
    ['settings-rules', '/ui/settings/profiles/asking', showRules],
    ['settings-agents', '/ui/settings/agents'],
    ['settings-prompts', '/ui/settings/prompts'],
    ['settings-budgets', '/ui/settings/budgets'],
    ['settings-server', '/ui/settings/server'],
    ['settings-tokens', '/ui/settings/tokens'],
    ['settings-look', '/ui/settings/look'],
    ['doctor', '/ui/doctor'],
    ['palette', '/ui/', (page) => page.keyboard.press('Control+k')],
    ['shortcuts', '/ui/', (page) => page.keyboard.press('?')],
    ['not-found', '/ui/nowhere'],
  ];
}

const press = (name) => (page) => page.getByRole('button', { name }).first().click();

const mistype = async (page) => {
  const text = page.getByRole('textbox', { name: 'Text of the workflow' });
  await text.fill((await text.inputValue()).replace('agent: critic', 'agent: critc'));
  await page.getByRole('list', { name: 'Problems' }).waitFor();
};

const connect = async (page) => {
  // The first one cannot be started.
  await page.getByRole('button', { name: 'Connect' }).first().click();
  await page.getByRole('alert').first().waitFor();
  await page
    .getByRole('button', { name: /^(Connect|List tools again)$/ })
    .last()
    .click();
  await page.getByRole('button', { name: 'Try a call' }).click();
};

const showRules = async (page) => {
  await page.getByRole('button', { name: /^developer/i }).click();
  await page.getByLabel(/allow/i).first().scrollIntoViewIfNeeded();
};

const attach = (page) =>
  page.getByLabel('Files to attach').setInputFiles(
    ATTACHED.map(({ name, data }) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(data, 'base64'),
    })),
  );

const looks = [
  ['desktop-light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  ['desktop-dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ['phone-light', { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true }],
  ['phone-dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true }],
];

/** The few that the README shows. */
const shown = new Set([
  'home desktop-light',
  'run desktop-dark',
  'plan-review desktop-light',
  'diff-review desktop-dark',
  'home phone-dark',
]);

/** A change that was merged, one that waits for a merge in a pull request, and one that was put away. */
async function delivered(world) {
  const ids = [];
  for (const title of ['Add two numbers', 'Say what is added', 'Was done long ago']) {
    ids.push(await world.startCompleted({ title }));
  }
  const [merged, opened, archived] = ids;
  await world.post(`/workflows/${merged}/merge`, {
    method: 'squash',
    into: 'main',
    delete_branch: false,
  });
  await world.post(`/workflows/${archived}/archive`);
  return { merged, opened, archived };
}

/** There is no host here: the page hears of a pull request that is not there. */
async function openedOnGitHub(page, run) {
  const pull_request = { number: 12, url: 'https://github.com/owner/sample/pull/12' };
  await page.route(`**/api/workflows/${run}`, async (route) => {
    const answer = await route.fetch();
    const detail = await answer.json();
    await route.fulfill({ json: { ...detail, outcome: { ...detail.outcome, pull_request } } });
  });
  const checks = [{ name: 'tests', outcome: 'passed', url: null }];
  const reviews = [{ reviewer: 'ada', verdict: 'approved' }];
  const json = { ...pull_request, status: 'open', checks, reviews, has_conflicts: false };
  await page.route(`**/api/workflows/${run}/pull-request`, (route) => route.fulfill({ json }));
}

const world = await World.start();
try {
  const runs = await world.populate();
  // One that is at work while the pictures are taken, for as long as that takes.
  const slow = await world.serveModel('slow');
  await world.post('/profiles', world.profile('slow', {}, slow));
  runs.working = await world.startApproved({
    issue_id: 'DEMO-7',
    title: 'Multiply, too',
    profile: 'slow',
  });
  Object.assign(runs, await delivered(world));
  runs.permission = await world.startAsking(await world.serveModel('permissions'), [
    'shell(cargo *)',
    'shell(git status)',
  ]);
  await world.addWorkflows('essay');
  world.addMemoryServer();
  const task = { workflow: 'essay', prompt: 'About rivers', worktree_path: world.repository };
  runs.essay = (await world.post('/tasks', task)).id;
  await world.until(runs.essay, 'awaiting_approval');
  runs.repository = world.repository;
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  mkdirSync(out, { recursive: true });
  for (const [look, options] of looks) {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await openedOnGitHub(page, runs.opened);
    await page.goto(world.link('/ui/'));
    for (const [name, path, act] of screens(runs)) {
      if (forReadme && !shown.has(`${name} ${look}`)) continue;
      if (only.length > 0 && !only.includes(name)) continue;
      await page.goto(`${world.url}${path}`);
      await page.waitForLoadState('networkidle').catch(() => {});
      await page.waitForTimeout(900);
      await act?.(page);
      if (act) await page.waitForTimeout(400);
      await page.screenshot({ path: join(out, `${name}-${look}.png`) });
    }
    await context.close();
  }
  await browser.close();
  console.log(`the pictures are in ${out}`);
} finally {
  await world.stop();
}

// Every screen, light and dark, on a desktop and on a phone, into `dashboard/test-results/screens`: to be looked at.
// `--readme` writes those that the README shows, into `docs/images`.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { World } from './world.mjs';

const here = dirname(fileURLToPath(import.meta.url));
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
function screens({ done, waiting, failed, working }) {
  return [
    ['home', '/ui/'],
    ['home-list', '/ui/?view=list'],
    ['run', `/ui/runs/${done}`],
    ['run-working', `/ui/runs/${working}`],
    ['run-waiting', `/ui/runs/${waiting}`],
    ['run-failed', `/ui/runs/${failed}`],
    ...['plan', 'diff', 'checks', 'review', 'artifacts', 'cost', 'events', 'trace'].map((tab) => [
      `run-${tab}`,
      `/ui/runs/${done}?tab=${tab}`,
    ]),
    ['run-past', `/ui/runs/${done}?at=60`],
    ['plan-review', `/ui/runs/${waiting}/plan`],
    ['diff-review', `/ui/runs/${done}/diff`],
    ['start', '/ui/start'],
    ['compare', `/ui/compare?a=${done}&b=${failed}`],
    ['usage', '/ui/usage'],
    ['settings-profiles', '/ui/settings/profiles'],
    ['settings-profile', '/ui/settings/profiles/crew'],
    ['settings-agents', '/ui/settings/agents'],
    ['settings-prompts', '/ui/settings/prompts'],
    ['settings-budgets', '/ui/settings/budgets'],
    ['settings-server', '/ui/settings/server'],
    ['settings-tokens', '/ui/settings/tokens'],
    ['doctor', '/ui/doctor'],
    ['palette', '/ui/', (page) => page.keyboard.press('Control+k')],
    ['shortcuts', '/ui/', (page) => page.keyboard.press('?')],
    ['not-found', '/ui/nowhere'],
  ];
}

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

const world = await World.start();
try {
  const runs = await world.populate();
  // One that is at work while the pictures are taken, for as long as that takes.
  const slow = await world.serveModel('slow');
  await world.post('/profiles', world.profile('slow', {}, slow));
  runs.working = await world.startRun({
    issue_id: 'DEMO-7',
    title: 'Multiply, too',
    profile: 'slow',
  });
  await world.until(runs.working, 'awaiting_approval');
  await world.post(`/workflows/${runs.working}/approve`);
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  mkdirSync(out, { recursive: true });
  for (const [look, options] of looks) {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(world.link('/ui/'));
    for (const [name, path, act] of screens(runs)) {
      if (forReadme && !shown.has(`${name} ${look}`)) continue;
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

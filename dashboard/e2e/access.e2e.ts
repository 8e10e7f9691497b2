// Accessible: no serious finding of axe on any screen, in light and dark, wide and narrow.
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, open, test } from './fixtures';
import type { World } from './world.mjs';

type Runs = Awaited<ReturnType<World['populate']>> & { repository: string; team: string };

const looks = [
  { name: 'light, wide', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark, narrow', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

const screens: Record<string, (runs: Runs) => string[]> = {
  'home and runs': ({ done, failed }) => [
    '/',
    '/?view=list',
    ...['diff', 'checks', 'review', 'artifacts', 'cost', 'events', 'trace'].map(
      (tab) => `/runs/${done}?tab=${tab}`,
    ),
    `/runs/${failed}`,
    `/runs/${done}?at=60`,
  ],
  'reviews and starts': ({ done, waiting }) => [
    `/runs/${waiting}/plan`,
    `/runs/${done}/diff`,
    '/start',
    `/compare?a=${done}&b=${waiting}`,
    '/usage',
    '/nowhere',
  ],
  definitions: ({ repository }) => [
    `/workflows?repository=${repository}`,
    `/workflows/essay?repository=${repository}`,
    `/agents/writer?repository=${repository}`,
    '/mcp',
    '/memory',
  ],
  teams: ({ repository, team }) => [
    `/teams?repository=${repository}`,
    `/teams/bridge_board?repository=${repository}`,
    `/new-team?repository=${repository}`,
    `/runs/${team}?tab=team`,
  ],
  settings: () => [
    '/settings/profiles',
    '/settings/profiles/crew',
    '/settings/agents',
    '/settings/prompts',
    '/settings/prompts/developer.system',
    '/settings/budgets',
    '/settings/server',
    '/settings/tokens',
    '/settings/look',
    '/doctor',
  ],
};

/** What axe finds serious, and whether the page is wider than its window. */
async function findings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const found = serious.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
  const extra = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  return extra > 0 ? [...found, `${extra} pixels too wide`] : found;
}

for (const { name, ...look } of looks) {
  test.describe(name, () => {
    test.use({ ...look, script: 'demo' });
    test.setTimeout(240_000);

    for (const [part, paths] of Object.entries(screens)) {
      test(`${part}: nothing serious, nothing too wide`, async ({ page, world }) => {
        const { repository } = world;
        if (part === 'definitions') await world.addWorkflows('essay');
        if (part === 'definitions') world.addMemoryServer();
        if (part === 'teams') await world.addTeam('bridge_board');
        const team = part === 'teams' ? await world.startTeam('bridge_board') : '';
        const runs = { ...(await world.populate()), repository, team };
        await open(page, world);
        const found: string[] = [];
        for (const path of paths(runs)) {
          await page.goto(`${world.url}/ui${path}`);
          // A plan may begin with a heading of its own.
          await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
          await page.waitForLoadState('networkidle');
          for (const one of await findings(page)) found.push(`${path}: ${one}`);
        }
        expect(found).toEqual([]);
      });
    }
  });
}

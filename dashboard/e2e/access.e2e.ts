// Everybody can use it: no serious finding of axe on any screen, in light and dark, wide and narrow.
import AxeBuilder from '@axe-core/playwright';
import { expect, open, test } from './fixtures';

const looks = [
  { name: 'light, wide', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark, narrow', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

for (const { name, ...look } of looks) {
  test.describe(name, () => {
    test.use({ ...look, script: 'demo' });
    test.setTimeout(180_000);

    test('no screen has a serious finding, and none is wider than the window', async ({
      page,
      world,
    }) => {
      const { done, waiting, failed } = await world.populate();
      const paths = [
        '/ui/',
        '/ui/?view=list',
        `/ui/runs/${done}`,
        ...['diff', 'checks', 'review', 'artifacts', 'cost', 'events', 'trace'].map(
          (tab) => `/ui/runs/${done}?tab=${tab}`,
        ),
        `/ui/runs/${failed}`,
        `/ui/runs/${done}?at=60`,
        `/ui/runs/${waiting}/plan`,
        `/ui/runs/${done}/diff`,
        '/ui/start',
        `/ui/compare?a=${done}&b=${waiting}`,
        '/ui/usage',
        '/ui/settings/profiles',
        '/ui/settings/profiles/crew',
        '/ui/settings/agents',
        '/ui/settings/prompts',
        '/ui/settings/prompts/developer.system',
        '/ui/settings/budgets',
        '/ui/settings/server',
        '/ui/settings/tokens',
        '/ui/settings/look',
        '/ui/doctor',
        '/ui/nowhere',
      ];
      await open(page, world);
      const found: string[] = [];
      for (const path of paths) {
        await page.goto(`${world.url}${path}`);
        await page.waitForLoadState('networkidle').catch(() => {});
        await page.waitForTimeout(300);
        const { violations } = await new AxeBuilder({ page }).analyze();
        for (const one of violations) {
          if (one.impact === 'serious' || one.impact === 'critical') {
            found.push(
              `${path}: ${one.id}: ${one.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
            );
          }
        }
        const extra = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (extra > 0) found.push(`${path}: ${extra} pixels too wide`);
      }
      expect(found).toEqual([]);
    });
  });
}

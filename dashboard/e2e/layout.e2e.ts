// What stands where: on a desktop, and on a phone.
import type { Page } from '@playwright/test';
import { expect, open, PHONE, test } from './fixtures';

const COLUMNS = [
  'Queued',
  'Planning',
  'Approve plan',
  'Building',
  'Reviewing',
  'Completed',
  'Failed or stopped',
];

const ascending = (a = 0, b = 0) => a - b;

/** Left and right edge of every column. */
async function columns(page: Page): Promise<number[][]> {
  const edges = [];
  for (const name of COLUMNS) {
    const box = await page.getByRole('region', { name: new RegExp(`^${name}, `) }).boundingBox();
    edges.push([Math.round(box?.x ?? -1), Math.round((box?.x ?? -1) + (box?.width ?? 0))]);
  }
  return edges;
}

for (const width of [1440, 1280]) {
  test.describe(`${width} pixels wide`, () => {
    test.use({ viewport: { width, height: 900 } });

    test('the columns of the board are all in sight, and stay where they are', async ({
      page,
      world,
    }) => {
      const queued = await world.startRun({ title: 'Later', queue: true });
      await open(page, world);
      await expect(page.getByText('Later').first()).toBeVisible();
      const before = await columns(page);
      expect(before[0]?.[0]).toBeGreaterThan(0);
      expect(before.at(-1)?.[1]).toBeLessThanOrEqual(width);
      // All in one row.
      expect(before.map(([left]) => left)).toEqual(before.map(([left]) => left).sort(ascending));
      await world.post(`/workflows/${queued}/start`);
      await world.until(queued, 'awaiting_approval');
      await expect(page.getByRole('region', { name: 'Approve plan, 1' })).toBeVisible();
      expect(await columns(page)).toEqual(before);
      await world.post(`/workflows/${queued}/cancel`);
      await expect(page.getByRole('region', { name: 'Failed or stopped, 1' })).toBeVisible();
      expect(await columns(page)).toEqual(before);
    });
  });
}

test.describe('1024 pixels wide', () => {
  test.use({ viewport: { width: 1024, height: 768 } });

  test('no column of the board is beyond the edge of the page', async ({ page, world }) => {
    await world.startRun({ title: 'Later', queue: true });
    await open(page, world);
    await expect(page.getByText('Later').first()).toBeVisible();
    for (const [left = -1, right = 0] of await columns(page)) {
      expect(left).toBeGreaterThan(0);
      expect(right).toBeLessThanOrEqual(1024);
    }
  });
});

test.describe('1280 pixels wide and not high', () => {
  test.use({ viewport: { width: 1280, height: 500 } });

  test('only the content of a page scrolls, never the page around it', async ({ page, world }) => {
    const done = await world.startCompleted();
    for (let number = 1; number <= 8; number += 1)
      await world.startRun({ title: `Later ${number}`, queue: true });
    await open(page, world);
    for (const path of ['', '?view=list', `runs/${done}?tab=cost`, `runs/${done}/diff`]) {
      await page.goto(`${world.url}/ui/${path}`);
      await expect(page.getByText(/Later 8|calc.sh does not add/).first()).toBeVisible();
      const over = await page.evaluate(
        () => document.documentElement.scrollHeight - document.documentElement.clientHeight,
      );
      expect(over, path).toBe(0);
    }
  });
});

test.describe('a run that is done', () => {
  test.use({ script: 'demo' });

  test('has a straight pipeline in the colours of its outcome, and says once that its model is scripted', async ({
    page,
    world,
  }) => {
    const run = await world.startCompleted();
    await open(page, world, `/ui/runs/${run}`);
    const pipeline = page.getByRole('region', { name: 'Pipeline' });
    const stages = pipeline.getByRole('group');
    await expect(stages).toHaveCount(10);
    const places = await stages.evaluateAll((all) =>
      all.map((one) => Math.round(one.getBoundingClientRect().left)),
    );
    expect(new Set(places).size).toBe(1);
    const colour = (name: string) =>
      pipeline
        .getByRole('group', { name, exact: true })
        .evaluate((one) => getComputedStyle(one).backgroundColor);
    // The Evaluator sent the work back once, and was not asked again.
    expect(await colour('commit')).toBe(await colour('plan'));
    expect(await colour('evaluate')).not.toBe(await colour('plan'));
    const legend = pipeline.getByRole('list', { name: 'Agents of the pipeline' });
    await expect(legend).toContainText('Architect');
    await expect(legend).toContainText('Evaluator');

    await page.getByRole('searchbox', { name: 'Search the stream' }).fill('scripted model');
    await page.waitForURL(/q=scripted/);
    await expect(page.getByText('This is a scripted model')).toHaveCount(1);
  });
});

for (const width of [1440, 390]) {
  test.describe(`${width} pixels wide`, () => {
    test.use({ viewport: { width, height: 844 } });

    test('the stream of a run stands at its end', async ({ page, world }) => {
      const run = await world.startCompleted();
      await open(page, world, `/ui/runs/${run}`);
      const list = page.getByRole('list', { name: 'What happened' });
      await expect(page.getByRole('region', { name: 'Result' })).toBeVisible();
      await expect(list.getByText(/^Completed/)).toBeVisible();
      // Everything has its size by then.
      await page.waitForTimeout(600);
      const rest = await list.evaluate(
        (one) => one.scrollHeight - one.scrollTop - one.clientHeight,
      );
      expect(rest).toBeLessThanOrEqual(1);
    });
  });
}

for (const width of [1440, 1280, 1024]) {
  test.describe(`${width} pixels wide`, () => {
    test.use({ viewport: { width, height: 844 }, script: 'demo' });

    test('the page of a change has a title that can be read', async ({ page, world }) => {
      const run = await world.startCompleted();
      await open(page, world, `/ui/runs/${run}/diff`);
      const title = page.getByRole('heading', { level: 1 });
      await expect(title).toContainText('Changes: calc.sh');
      await expect(page.getByRole('button', { name: 'Merge' })).toBeVisible();
      expect((await title.boundingBox())?.width).toBeGreaterThan(120);
    });

    test('nothing of a run is cut off: tabs, stages, facts and costs', async ({ page, world }) => {
      const run = await world.startCompleted();
      await open(page, world, `/ui/runs/${run}?tab=cost`);
      const tabs = page.getByRole('tablist', { name: 'Run details' }).getByRole('tab');
      await expect(tabs).toHaveCount(8);
      for (const tab of await tabs.all()) await expect(tab).toBeInViewport({ ratio: 1 });
      // The graph is scaled to fit, so the browser rounds: 0.9999998 of a node is all of it.
      for (const name of ['start', 'finish'])
        await expect(page.getByRole('group', { name, exact: true })).toBeInViewport({
          ratio: 0.999,
        });
      const copy = page.getByRole('button', { name: 'Copy worktree path' });
      await expect(copy).toBeInViewport({ ratio: 1 });
      const table = page.getByRole('table', { name: 'Usage by turn' });
      await table.scrollIntoViewIfNeeded();
      const cost = table.getByRole('columnheader', { name: 'Cost' });
      await cost.scrollIntoViewIfNeeded();
      const isCut = await table.evaluate(
        (one) => one.scrollWidth > (one.parentElement?.clientWidth ?? 0),
      );
      expect(isCut).toBe(false);
    });
  });
}

test('a run that was cancelled shows no work', async ({ page, world }) => {
  const run = await world.startApproved({ title: 'Add patiently' });
  await open(page, world, `/ui/runs/${run}`);
  await expect(page.getByText(/until \[ -e/).first()).toBeVisible();
  await expect(page.locator('main .animate-spin')).toHaveCount(1);
  await world.post(`/workflows/${run}/cancel`);
  await expect(page.getByText('no answer')).toBeVisible();
  await expect(page.locator('main .animate-spin, main .animate-pulse-soft')).toHaveCount(0);
});

test.describe('on a phone', () => {
  test.use(PHONE);

  /** What stands above the stream, by its name. */
  async function bars(page: Page): Promise<string[]> {
    const list = page.getByRole('list', { name: 'What happened' });
    await expect(list).toBeVisible();
    const top = (await list.boundingBox())?.y ?? 0;
    const candidates = {
      top: page.locator('header').first(),
      demo: page.getByRole('complementary', { name: 'About this demo' }),
      facts: page.locator('[aria-label="Run summary"]'),
      why: page.getByRole('region', { name: 'Why this run is waiting' }),
      result: page.getByRole('region', { name: 'Result' }),
      past: page.getByRole('status').filter({ hasText: /of #\d+/ }),
      stages: page.getByRole('list', { name: 'Stages' }),
      tabs: page.getByRole('tablist'),
      search: page.getByRole('searchbox', { name: 'Search the stream' }),
    };
    const found: string[] = [];
    for (const [name, bar] of Object.entries(candidates)) {
      if (await bar.isVisible()) found.push(name);
    }
    // Nothing that is not named here is above the stream, either.
    expect(top).toBeLessThan(210);
    return found;
  }

  test('a run has three bars above its stream, whatever it does', async ({ page, world }) => {
    const run = await world.startPlanned({ title: 'Add patiently' });
    await open(page, world, `/ui/runs/${run}`);
    await expect(page.getByText('Approve plan.')).toBeVisible();
    expect(await bars(page)).toEqual(['top', 'why', 'tabs']);
    await world.post(`/workflows/${run}/approve`);
    await expect(page.getByText('Running').first()).toBeVisible();
    expect(await bars(page)).toEqual(['top', 'facts', 'tabs']);
    world.go();
    await world.until(run, 'completed');
    await expect(page.getByRole('region', { name: 'Result' })).toBeVisible();
    expect(await bars(page)).toEqual(['top', 'result', 'tabs']);
    await page.goto(`${world.url}/ui/runs/${run}?at=30`);
    await expect(page.getByRole('status').filter({ hasText: 'of #30' })).toBeVisible();
    expect(await bars(page)).toEqual(['top', 'past', 'tabs']);
  });

  test('the pipeline is a tab, and a stage leads to its place in the stream', async ({
    page,
    world,
  }) => {
    const run = await world.startPlanned();
    await open(page, world, `/ui/runs/${run}`);
    await page.getByRole('tab', { name: 'Pipeline' }).click();
    await expect(page.locator('[aria-label="Run summary"]')).toBeVisible();
    await page.getByRole('button', { name: /^plan.*passed/ }).click();
    await expect(page.getByRole('tab', { name: 'Stream' })).toHaveAttribute('data-state', 'active');
    await expect(page).toHaveURL(/seq=\d+/);
    await page.getByRole('button', { name: 'Search and filter the stream' }).click();
    await expect(page.getByRole('searchbox', { name: 'Search the stream' })).toBeVisible();
  });

  test('the row of settings shows the page that is open', async ({ page, world }) => {
    await open(page, world, '/ui/settings/look');
    const nav = page.getByRole('navigation', { name: 'Settings' });
    await expect(nav.getByRole('link', { name: 'Appearance' })).toBeInViewport({ ratio: 1 });
    await nav.getByRole('link', { name: 'Sign-in' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Sign-in' })).toBeVisible();
    await expect(nav.getByRole('link', { name: 'Sign-in' })).toBeInViewport({ ratio: 1 });
  });

  test('the page of a change has a title that can be read, and offers the next step', async ({
    page,
    world,
  }) => {
    const run = await world.startCompleted();
    await open(page, world, `/ui/runs/${run}/diff`);
    const title = page.getByRole('heading', { level: 1 });
    await expect(title).toContainText('Changes: calc.sh');
    expect((await title.boundingBox())?.width).toBeGreaterThan(120);
    await page.getByRole('button', { name: 'Merge' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await expect(dialog).toBeHidden();
    await page.goto(`${world.url}/ui/runs/${run}`);
    await expect(page.getByRole('region', { name: 'Result' })).toContainText('Merged into main');
  });
});

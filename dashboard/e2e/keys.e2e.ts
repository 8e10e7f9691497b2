// Keys do what the person who presses them sees, and nothing else.
import type { Page } from '@playwright/test';
import { expect, open, test } from './fixtures';

/** A wide screen, one without room for the pipeline beside the stream, and a phone with a keyboard. */
const VIEWPORTS = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

/** The questions about plans. On a narrow screen, only the first one shows its buttons. */
const plans = (page: Page) =>
  page.getByRole('region', { name: 'Needs you' }).getByRole('link', { name: /^(One|Two)$/ });

for (const viewport of VIEWPORTS) {
  test.describe(`${viewport.width} pixels wide`, () => {
    test.use({ viewport });

    test('a key that is pressed twice decides about one plan', async ({ page, world }) => {
      const runs = [
        await world.startRun({ title: 'One' }),
        await world.startRun({ title: 'Two', issue_id: 'DEMO-2' }),
      ];
      for (const run of runs) await world.until(run, 'awaiting_approval');
      await open(page, world);
      await expect(plans(page)).toHaveCount(2);
      // Both at once: a slow machine must not make two decisions of them.
      await Promise.all([page.keyboard.press('a'), page.keyboard.press('a')]);
      await expect(plans(page)).toHaveCount(1);
      // The page shows the answer before the server has it.
      const waiting = async () => {
        const all = await Promise.all(runs.map((run) => world.get(`/workflows/${run}`)));
        return all.filter(({ status }) => status === 'awaiting_approval').length;
      };
      await expect.poll(waiting).toBe(1);
      // Half a second later, the key means the plan that is there now.
      await page.waitForTimeout(600);
      await page.keyboard.press('a');
      for (const run of runs) expect(await world.until(run, 'completed')).toBe('completed');
    });

    test('a key that is held down decides about one plan', async ({ page, world }) => {
      const runs = [
        await world.startPlanned({ title: 'One' }),
        await world.startPlanned({ title: 'Two', issue_id: 'DEMO-2' }),
      ];
      await open(page, world);
      await expect(plans(page)).toHaveCount(2);
      // Longer than keys wait after a card has moved.
      for (let times = 0; times < 20; times += 1) {
        await page.keyboard.down('a');
        await page.waitForTimeout(50);
      }
      await page.keyboard.up('a');
      await expect(plans(page)).toHaveCount(1);
      // The page shows the answer before the server has it.
      const waiting = async () => {
        const all = await Promise.all(runs.map((run) => world.get(`/workflows/${run}`)));
        return all.filter(({ status }) => status === 'awaiting_approval').length;
      };
      await expect.poll(waiting).toBe(1);
    });

    test('a plan that is approved on its page leads to the run', async ({ page, world }) => {
      const run = await world.startPlanned();
      await open(page, world, `/ui/runs/${run}/plan`);
      await expect(page.getByRole('button', { name: /^approve/i })).toBeVisible();
      await page.waitForTimeout(600);
      await page.keyboard.press('a');
      await page.waitForURL((url) => url.pathname === `/ui/runs/${run}`);
      await expect(page.getByText('Plan approved')).toBeVisible();
      expect(await world.until(run, 'completed')).toBe('completed');
    });

    test('the start page opens at its title, however one comes there', async ({ page, world }) => {
      await open(page, world, '/ui/start');
      const title = page.getByLabel('Title');
      await expect(title).toBeFocused();
      for (const go of [
        () => page.getByRole('link', { name: 'Start', exact: true }).first().click(),
        () => page.keyboard.press('g').then(() => page.keyboard.press('s')),
      ]) {
        await page.goto(`${world.url}/ui/usage`);
        await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
        await go();
        await expect(title).toBeFocused();
      }
    });
  });
}

test('a pause is undone by the notice that tells of it', async ({ page, world }) => {
  const run = await world.startApproved({ title: 'Add patiently' });
  await open(page, world, `/ui/runs/${run}`);
  await expect(page.getByText(/until \[ -e/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Pause' }).click();
  await world.until(run, 'paused');
  await page.getByRole('button', { name: 'Undo' }).click();
  await world.until(run, 'running');
  world.go();
  expect(await world.until(run, 'completed')).toBe('completed');
});

test('a key that is pressed before the palette is loaded decides nothing', async ({
  page,
  world,
}) => {
  const run = await world.startPlanned();
  await open(page, world);
  await expect(page.getByRole('button', { name: /^approve/i })).toBeVisible();
  await page.waitForTimeout(600);
  await page.route('**/assets/palette-*.js', async (route) => {
    await new Promise((done) => setTimeout(done, 1_000));
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.press('a');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.waitForTimeout(300);
  expect((await world.get(`/workflows/${run}`)).status).toBe('awaiting_approval');
});

test('what is typed while the palette loads is in its field, and does nothing else', async ({
  page,
  world,
}) => {
  const run = await world.startPlanned();
  await page.route('**/assets/palette-*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await route.continue();
  });
  await open(page, world);
  await expect(page.getByRole('button', { name: /^approve/i })).toBeVisible();
  await page.waitForTimeout(600);
  await page.keyboard.press('Control+k');
  // `a` approves the plan on this page, `g u` goes to the usage.
  await page.keyboard.type('usa', { delay: 30 });
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  const field = palette.getByRole('combobox');
  await expect(field).toHaveValue('usa');
  await expect(field).toBeFocused();
  await page.keyboard.type('ge');
  await expect(field).toHaveValue('usage');
  await expect(page).toHaveURL(/\/ui\/$/);
  expect((await world.get(`/workflows/${run}`)).status).toBe('awaiting_approval');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
  // What was searched for is forgotten with it.
  await page.keyboard.press('Control+k');
  await expect(field).toHaveValue('');
});

test('Enter that is pressed while the palette loads runs the first result', async ({
  page,
  world,
}) => {
  await page.route('**/assets/palette-*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await open(page, world);
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('usage');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

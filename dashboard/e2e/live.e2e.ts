// The page of a run follows the run to its end without a reload, with any name of the run in its address.
import { DEVICES, expect, open, test } from './fixtures';

for (const { device, isPhone, settings } of DEVICES) {
  test.describe(`on ${device}`, () => {
    test.use(settings);

    for (const name of ['id', 'short_id'] as const)
      test(`approve, complete and merge: the banner of a page opened by ${name} follows`, async ({
        page,
        world,
      }) => {
        const run = await world.startPlanned({ title: 'Add patiently' });
        const detail = await world.get(`/workflows/${run}`);
        // A phone shows the stream in a tab, too, and the status with the facts.
        const tab = isPhone ? 'pipeline' : 'events';
        await open(page, world, `/ui/runs/${detail[name]}?tab=${tab}`);
        await page.evaluate(() => Object.assign(window, { isSamePage: true }));
        const why = page.getByRole('region', { name: 'Why this run is waiting' });
        const result = page.getByRole('region', { name: 'Result' });
        const status = page.locator(isPhone ? '[aria-label="Run summary"]' : 'header').first();

        const approve = why.getByRole('button', { name: /^approve/i });
        await expect(approve).toBeVisible();
        if (isPhone) {
          await approve.tap();
        } else {
          // Keys wait for a moment after what they act on has appeared.
          await page.waitForTimeout(600);
          await page.keyboard.press('a');
        }
        await expect(why).toHaveCount(0);
        await expect(status.getByText('Running', { exact: true })).toBeVisible();
        if (isPhone) await expect(status).toContainText('develop');
        else await expect(page.getByText(/until \[ -e/).first()).toBeVisible();
        // Longer than an answer is assumed to be on its way.
        await page.waitForTimeout(7_000);
        await expect(why).toHaveCount(0);
        await expect(result).toHaveCount(0);

        world.go();
        await expect(result).toContainText('Completed. 2 reviewed commits on', { timeout: 30_000 });
        await expect(result.getByRole('link', { name: 'See changes' })).toBeVisible();
        await result.getByRole('button', { name: 'Merge' }).click();
        await page
          .getByRole('alertdialog')
          .getByRole('button', { name: 'Merge', exact: true })
          .click();
        await expect(result).toContainText('Merged into main');
        await expect(result.getByRole('button', { name: 'Merge' })).toHaveCount(0);
        await expect(result.getByRole('button', { name: 'Open pull request' })).toHaveCount(0);

        // One name per run in addresses; what else was in them is kept, and the page is the one that was opened.
        expect(new URL(page.url()).pathname).toBe(`/ui/runs/${run}`);
        expect(new URL(page.url()).searchParams.get('tab')).toBe(tab);
        expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
      });

    test.describe('with a model that answers slowly', () => {
      test.use({ script: 'slow' });

      test('who comes in the middle of an answer sees it from its beginning', async ({
        page,
        world,
      }) => {
        const run = await world.startApproved();
        await open(page, world, `/ui/runs/${run}`);
        await expect(page.getByText(/Now the product: I add/).first()).toBeVisible();
        const late = await page.context().newPage();
        await open(late, world, `/ui/runs/${run}`);
        await expect(
          late.getByText(/The sum is right again\. Now the product/).first(),
        ).toBeVisible();
      });
    });
  });
}

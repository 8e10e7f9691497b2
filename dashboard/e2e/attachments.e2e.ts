// Files that are attached at the start are seen on the page of the run, and the run has them.
import { expect, open, test } from './fixtures';
import { ATTACHED } from './world.mjs';

const files = ATTACHED.map(({ name, data }) => ({
  name,
  mimeType: name.endsWith('.png') ? 'image/png' : 'text/plain',
  buffer: Buffer.from(data, 'base64'),
}));

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test.describe(`${viewport.width} pixels wide`, () => {
    test.use({ viewport });

    test('a file and an image go with a run', async ({ page, world }) => {
      await open(page, world, '/ui/start');
      await page.getByRole('combobox', { name: 'Repository' }).fill(world.repository);
      await page.keyboard.press('Escape');
      await page.getByLabel('Title').fill('calc.sh does not add');
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Attach files' }).click();
      await (await chooser).setFiles([...files, { ...files[0], name: 'not-this.log' } as never]);
      await page.getByRole('button', { name: 'Remove not-this.log' }).click();
      const chosen = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
      await expect(chosen).toHaveText([/^build\.log22 B$/, /^shot\.png\d+ B$/]);
      await expect(page.getByRole('region', { name: 'CLI command' })).toContainText(
        '--attach build.log --attach shot.png',
      );
      await page.getByRole('button', { name: /^start/i }).click();

      await page.waitForURL(/\/ui\/runs\/[0-9a-f-]+/);
      const run = page.url().match(/runs\/([0-9a-f-]+)/)?.[1] ?? '';
      await world.until(run, 'awaiting_approval');
      await page.goto(`${world.url}/ui/runs/${run}?tab=artifacts`);
      const list = page.getByRole('list', { name: 'Attached files' });
      await list.getByRole('button', { name: /build\.log/ }).click();
      await expect(page.getByRole('dialog').getByText('expected 5 and got -1')).toBeVisible();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      await list.getByRole('button', { name: /shot\.png/ }).click();
      const image = page.getByRole('dialog').getByRole('img', { name: 'shot.png' });
      await expect(image).toBeVisible();
      expect(await image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(1);

      const { state } = await world.get(`/workflows/${run}`);
      expect(
        state.wanted.attachments.map(({ name }: { name: string; size: number }) => name),
      ).toEqual(['build.log', 'shot.png']);
    });
  });
}

test('the summary of a run counts its files, and leads to them', async ({ page, world }) => {
  const run = await world.startPlanned({ attachments: ATTACHED });
  await open(page, world, `/ui/runs/${run}`);
  await page.getByRole('link', { name: '2 files attached' }).click();
  await expect(page.getByRole('list', { name: 'Attached files' })).toBeVisible();
});

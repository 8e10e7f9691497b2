// What agents remember: listed, searched by words, shown with versions, summarised, and removed.
import { expect, open, test } from './fixtures';

test('what a team has stored is found, shown with its versions and removed', async ({
  page,
  world,
}) => {
  await world.addTeam('remembering');
  const run = await world.startTeam('remembering');
  await world.until(run, 'completed');
  await open(page, world, '/ui/');
  await page.keyboard.press('g');
  await page.keyboard.press('y');
  await expect(page.getByRole('heading', { name: 'Memory' })).toBeVisible();
  const entries = page.getByRole('list', { name: 'Entries' });
  await expect(entries).toContainText('rivers/rhine');
  await page.getByRole('textbox', { name: 'Search' }).fill('glaciers');
  await expect(page.getByText('Nothing was found')).toBeVisible();
  await page.getByRole('textbox', { name: 'Search' }).fill('how long is the Rhine');
  await expect(page).toHaveURL(/q=how/);
  await entries.getByRole('button', { name: /rivers\/rhine/ }).click();
  const version = page.getByRole('region', { name: 'Version 1' });
  await expect(version).toContainText('by scout');
  await expect(version).toContainText('The Rhine is 1230 km long.');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Nothing was found')).toBeVisible();
  await page.getByRole('textbox', { name: 'Search' }).fill('');
  await expect(page.getByText('Nothing is stored yet')).toBeVisible();
});

test('entries about one topic become a summary, with links both ways', async ({ page, world }) => {
  for (const name of ['rhine', 'elbe', 'main']) {
    const content = `The ${name} is long. It is wet.`;
    await world.post('/memory', { key: `rivers/${name}`, content, scope: 'global' });
  }
  await open(page, world, '/ui/memory');
  await page.getByRole('button', { name: 'Summarise topics' }).click();
  await expect(page.getByText('has summarised rivers, without a model')).toBeVisible();
  const entries = page.getByRole('list', { name: 'Entries' });
  await entries.getByRole('button', { name: /consolidated\/rivers/ }).click();
  const sources = page.getByRole('region', { name: 'Entries in this summary' });
  await expect(sources).toContainText('rivers/elbe The elbe is long.');
  await sources.getByRole('link').first().click();
  await expect(page).toHaveURL(/entry=m1/);
  await expect(page.getByText('Searches find the summary')).toBeVisible();
  await page.getByRole('link', { name: 'All entries' }).click();
  await page.getByRole('button', { name: 'Summarise topics' }).click();
  await expect(page.getByText('Nothing to summarise')).toBeVisible();
});

// "Open in editor": the worktree of a run, in the editor that a person has chosen, by a link of that editor.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, open, test } from './fixtures';

/** Where the page wants to go from now on. It stays: this machine has no such editor. */
async function wishes(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const wished: string[] = [];
    Object.assign(window, { wished });
    navigation.addEventListener('navigate', (event) => {
      if (event.destination.url.startsWith('http')) return;
      wished.push(event.destination.url);
      event.preventDefault();
    });
  });
  return () => page.evaluate(() => (window as unknown as { wished: string[] }).wished);
}

const menu = (page: Page) => page.getByRole('button', { name: 'More actions' }).first().click();

test('a worktree is opened in the editor that was chosen, from the menu and by its name', async ({
  page,
  world,
}) => {
  const run = await world.startCompleted();
  const { worktree } = await world.get(`/workflows/${run}`);
  expect(existsSync(join(worktree, 'calc.sh'))).toBe(true);

  await open(page, world, `/ui/runs/${run}`);
  const first = await wishes(page);
  await menu(page);
  await page.getByRole('menuitem', { name: 'Open worktree in VS Code' }).click();
  await expect.poll(first).toEqual([`vscode://file${worktree}/`]);

  await page.goto(`${world.url}/ui/settings/look`);
  await page.getByRole('combobox', { name: 'Editor' }).click();
  await page.getByRole('option', { name: 'Zed' }).click();

  await page.goto(`${world.url}/ui/runs/${run}`);
  const second = await wishes(page);
  await menu(page);
  await expect(page.getByRole('menuitem', { name: /VS Code/ })).toHaveCount(0);
  await page.getByRole('menuitem', { name: 'Open worktree in Zed' }).click();
  await expect.poll(second).toEqual([`zed://file${worktree}`]);
});

test('a run without a worktree has nothing to open', async ({ page, world }) => {
  const run = await world.startRun({ queue: true });
  await open(page, world, `/ui/runs/${run}`);
  await menu(page);
  await expect(page.getByRole('menuitem', { name: 'Copy link' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: /Open worktree/ })).toHaveCount(0);
});

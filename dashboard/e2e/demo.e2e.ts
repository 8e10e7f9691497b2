// The demo as a newcomer meets it: told what it is, and given commands that reach it.
import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { demo, program } from './world.mjs';

test('a demo says what it is, and its commands work in another terminal', async ({ page }) => {
  const shown = await demo();
  try {
    await page.goto(shown.link);
    const banner = page.getByRole('complementary', { name: 'About this demo' });
    await expect(banner).toContainText('The crew plays a script');
    await page.goto(`${shown.url}/ui/start`);
    await expect(page.getByText('The crew of this demo can do one issue only')).toBeVisible();
    const order = page.getByRole('region', { name: 'The same from the terminal' });
    await expect(order).toContainText(`amelia --home ${shown.home} start`);

    await banner.getByRole('button', { name: 'Put this away' }).click();
    await page.goto(`${shown.url}/ui/settings/tokens`);
    await expect(page.getByText(`amelia --home ${shown.home} token show`)).toBeVisible();
    await expect(banner).toBeHidden();

    await page.getByRole('button', { name: 'Sign out' }).click();
    const command = `amelia --home ${shown.home} dashboard`;
    await expect(page.getByText(command)).toBeVisible();
    const words = [...command.split(' ').slice(1), '--print'];
    const link = execFileSync(program(), words).toString().trim();
    await page.goto(link);
    await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  } finally {
    await shown.stop();
  }
});

test('the doctor of a running server knows that it runs', async ({ page }) => {
  const shown = await demo();
  try {
    await page.goto(shown.link);
    await page.goto(`${shown.url}/ui/doctor`);
    const server = page.getByRole('listitem').filter({ hasText: 'this one is running' });
    await expect(server).toContainText(shown.url);
  } finally {
    await shown.stop();
  }
});

// The demo as a newcomer meets it: it says what it is, and shows commands that reach it.
import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { demo, program } from './world.mjs';

test('a demo says what it is, and its commands work in another terminal', async ({ page }) => {
  const shown = await demo();
  try {
    await page.goto(shown.link);
    const banner = page.getByRole('complementary', { name: 'About this demo' });
    await expect(banner).toContainText('The agents follow a script');
    await page.goto(`${shown.url}/ui/start`);
    await expect(page.getByText('This demo can only solve one issue')).toBeVisible();
    const cliCommand = page.getByRole('region', { name: 'CLI command' });
    await expect(cliCommand).toContainText(`amelia --home ${shown.home} start`);

    await banner.getByRole('button', { name: 'Dismiss' }).click();
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
    const server = page.getByRole('listitem').filter({ hasText: 'running: http' });
    await expect(server).toContainText(shown.url);
  } finally {
    await shown.stop();
  }
});

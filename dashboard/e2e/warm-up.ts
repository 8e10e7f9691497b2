// Starts the program and the browser once before the tests: the first start after a build reads both from a cold disk, which
// can take longer than a test may.
import { chromium, type FullConfig } from '@playwright/test';
import { World } from './world.mjs';

export default async function warmUp(config: FullConfig): Promise<void> {
  const browser = await chromium.launch(config.projects[0]?.use.launchOptions);
  const world = await World.start({});
  const page = await browser.newPage();
  await page.goto(world.link('/ui/'));
  await page.waitForURL((url) => url.pathname.startsWith('/ui'), { timeout: 120_000 });
  await browser.close();
  await world.stop();
}

// A page that is signed in to a world of its own. A test fails when the page complains: an error in the console, a script
// that was not caught, or something that the content policy had to stop.
import { test as base, expect, type Page } from '@playwright/test';
import { World } from './world.mjs';

type Options = { script: string; profile: Record<string, unknown> };
type Fixtures = { world: World; complaints: string[] };

/** What a browser says about requests that a test makes fail on purpose. */
const EXPECTED = /Failed to load resource|WebSocket connection to|net::ERR_/;

export const test = base.extend<Options & Fixtures>({
  script: ['crew', { option: true }],
  profile: [{}, { option: true }],
  world: async ({ script, profile }, use) => {
    const world = await World.start({ script, profile });
    await use(world);
    await world.stop();
  },
  complaints: [
    // With the world, so that it is over before the world ends: what a page says then is not its fault.
    async ({ page, world }, use) => {
      expect(world.url).not.toBe('');
      const said: string[] = [];
      page.on('pageerror', (error) => said.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error' && !EXPECTED.test(message.text())) said.push(message.text());
      });
      await use(said);
      expect(said).toEqual([]);
    },
    { auto: true },
  ],
});

/** Opens a page of the dashboard, signed in as by the link in the terminal. */
export async function open(page: Page, world: World, path = '/ui/'): Promise<void> {
  await page.goto(world.link(path));
  await page.waitForURL((url) => url.pathname.startsWith('/ui'));
}

/** A phone, as the browser sees one. */
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** Where a page is used: on a wide screen, and on a phone. */
export const DEVICES = [
  { device: 'a desktop', isPhone: false, settings: {} },
  { device: 'a phone', isPhone: true, settings: PHONE },
];

export { expect };

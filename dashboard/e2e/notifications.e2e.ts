// A desktop notification when a run needs a person or is completed, for those who want it and look elsewhere.
import type { Page } from '@playwright/test';
import { expect, open, test } from './fixtures';

declare global {
  interface Window {
    notices: string[];
    isHidden: boolean;
  }
}

test.beforeEach(async ({ page, context }) => {
  await context.grantPermissions(['notifications']);
  // A browser without a screen shows none, and its pages are never hidden.
  await page.addInitScript(() => {
    window.notices = [];
    window.isHidden = false;
    window.Notification = new Proxy(Notification, {
      construct(_, [title, { body = '' }]) {
        window.notices.push(`${title}\n${body}`);
        return {};
      },
    });
    Object.defineProperty(document, 'visibilityState', {
      get: () => (window.isHidden ? 'hidden' : 'visible'),
    });
  });
});

const notices = (page: Page) => page.evaluate(() => window.notices);

test('is shown when wanted, while the page is hidden, and can be switched off', async ({
  page,
  world,
}) => {
  const needing = (count: number) => expect(page).toHaveTitle(new RegExp(`\\(${count}\\)`));
  await world.startPlanned({ title: 'Before' });
  await open(page, world);
  await page.getByRole('button', { name: 'Notify me' }).click();
  await expect(
    page.getByText('You will be notified when something needs you or is done'),
  ).toBeVisible();

  await world.startPlanned({ title: 'While I look', issue_id: 'DEMO-2' });
  await needing(2);
  expect(await notices(page)).toEqual([]);

  await page.evaluate(() => {
    window.isHidden = true;
  });
  const away = await world.startPlanned({ title: 'While I am away', issue_id: 'DEMO-3' });
  await expect
    .poll(() => notices(page))
    .toEqual([
      'Approve plan: While I am away\nThe plan is ready. No files change before you approve it',
    ]);

  await world.post(`/workflows/${away}/approve`);
  // Its body is the result.
  const completed = /^Completed: While I am away\n.+ · 2 tasks/;
  await expect.poll(() => notices(page)).toContainEqual(expect.stringMatching(completed));

  await page.goto(`${world.url}/ui/settings/look`);
  await page.getByRole('switch', { name: /notify me/i }).click();
  await page.evaluate(() => {
    window.isHidden = true;
  });
  await world.startPlanned({ title: 'Switched off', issue_id: 'DEMO-4' });
  await needing(3);
  expect(await notices(page)).toEqual([]);
});

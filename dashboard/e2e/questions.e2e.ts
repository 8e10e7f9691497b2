// An agent asks, and a person answers with the keyboard.
import type { Page } from '@playwright/test';
import { expect, open, test } from './fixtures';

test.use({ script: 'questions' });

test('a digit selects an answer, and Enter or A sends it', async ({ page, world }) => {
  const input = { prompt: 'calculate', worktree_path: world.repository, profile: 'crew' };
  const { id: run } = await world.post('/workflows/single', input);
  await world.until(run, 'awaiting_approval');
  await open(page, world);
  const inbox = page.getByRole('region', { name: /needs you/i });
  const answer = (name: RegExp) => inbox.getByRole('button', { name });

  await expect(answer(/Product$/)).toBeVisible();
  await page.keyboard.press('2');
  await expect(answer(/Product$/)).toBeFocused();
  await page.keyboard.press('1');
  await expect(answer(/Sum$/)).toBeFocused();
  await page.keyboard.press('2');
  // To select is not to send.
  expect((await world.get(`/workflows/${run}`)).status).toBe('awaiting_approval');
  const isPressed = pressEarly(page, 'Whole numbers');
  await page.keyboard.press('Enter');

  // Too early: the key may have been meant for the question before.
  await isPressed;
  await expect(answer(/Whole numbers$/)).toBeVisible();
  await expect(answer(/Whole numbers$/)).not.toBeFocused();
  await page.waitForTimeout(600);
  await page.keyboard.press('1');
  await expect(answer(/Whole numbers$/)).toBeFocused();
  await page.keyboard.press('a');
  expect(await world.until(run, 'completed')).toBe('completed');
  await page.goto(`${world.url}/ui/runs/${run}`);
  await expect(page.getByText('The product of whole numbers.').first()).toBeVisible();
});

/** Presses `1` a moment after a button is there. The page does it by itself: from here it may come too late. */
function pressEarly(page: Page, name: string): Promise<void> {
  return page.evaluate(
    (name) =>
      new Promise<void>((done) => {
        const press = () => {
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true }));
          done();
        };
        const observer = new MutationObserver(() => {
          const buttons = [...document.querySelectorAll('button')];
          if (!buttons.some((one) => one.textContent?.endsWith(name))) return;
          observer.disconnect();
          setTimeout(press, 100);
        });
        observer.observe(document.body, { childList: true, subtree: true });
      }),
    name,
  );
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('a tap answers', async ({ page, world }) => {
    const input = { prompt: 'calculate', worktree_path: world.repository, profile: 'crew' };
    const { id: run } = await world.post('/workflows/single', input);
    await world.until(run, 'awaiting_approval');
    await open(page, world, `/ui/runs/${run}`);
    await page.getByRole('button', { name: 'Product', exact: true }).tap();
    await page.getByRole('button', { name: 'Whole numbers', exact: true }).tap();
    expect(await world.until(run, 'completed')).toBe('completed');
  });
});

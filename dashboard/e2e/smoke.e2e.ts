import { expect, open, test } from './fixtures';

test('the link in the terminal signs a browser in', async ({ page, world }) => {
  await open(page, world);
  await expect(page.getByRole('navigation').first()).toBeVisible();
  expect(page.url()).not.toContain(world.token);
});

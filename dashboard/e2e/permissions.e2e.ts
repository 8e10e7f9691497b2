// A person allows a call once, in the run, or always; the rule is shown first and can be changed.
import { DEVICES, expect, open, test } from './fixtures';

test.use({ script: 'permissions' });

for (const { device, isPhone, settings } of DEVICES) {
  test.describe(`on ${device}`, () => {
    test.use(settings);

    test('once, in this run, always: three buttons, and the rule in a field', async ({
      page,
      world,
    }) => {
      const run = await world.startAsking();
      await open(page, world, `/ui/runs/${run}`);
      const why = page.getByRole('region', { name: 'Why this run is waiting' });
      const button = (name: RegExp) => why.getByRole('button', { name });

      // Once: the same command is asked about again.
      await button(/^allow once/i).click();
      await expect(why.getByText('echo made').first()).toBeVisible();
      await expect(button(/^allow once/i)).toBeVisible();

      // In this run: a rule that does not fit is refused, and the question stays.
      await button(/^allow in this run/i).click();
      const field = why.getByRole('textbox');
      await expect(field).toHaveValue('shell(echo made)');
      await field.fill('shell(ls *)');
      await field.press('Enter');
      await expect(why.getByRole('alert')).toContainText('does not match the call');
      await button(/^allow in this run/i).click();
      await field.fill('shell(echo *)');
      await field.press('Enter');

      // The third command fits the rule; the fourth does not.
      await expect(why.getByText('./test.sh').first()).toBeVisible();
      // The page lists the rule, and removes it. A phone has room for the rules in a tab.
      if (isPhone) await page.getByRole('tab', { name: 'Pipeline' }).click();
      await page.getByRole('button', { name: '1 rule for this run' }).click();
      await page.getByRole('button', { name: 'Remove shell(echo *)' }).click();
      await expect(page.getByText('Rule removed')).toBeVisible();
      await expect(page.getByRole('button', { name: /for this run$/ })).toHaveCount(0);
      if (isPhone) await page.getByRole('tab', { name: 'Stream' }).click();
      await button(/^always allow/i).click();
      await expect(field).toHaveValue('shell(./test.sh)');
      await field.press('Enter');
      await expect(page.getByText('It is made.').first()).toBeVisible();
      const { agents } = await world.get('/profiles/asking');
      expect(agents.developer.options.allow).toEqual(['shell(./test.sh)']);
      const row = await world.get(`/workflows/${run}?format=row`);
      expect(row.view.granted.map((grant: { rule: string }) => grant.rule)).toEqual([
        'shell(./test.sh)',
      ]);
    });

    test('the inbox has the same buttons', async ({ page, world }) => {
      await world.startAsking();
      await open(page, world);
      const inbox = page.getByRole('region', { name: /needs you/i });
      await inbox.getByRole('button', { name: /^allow in this run/i }).click();
      await expect(inbox.getByRole('textbox')).toHaveValue('shell(echo made)');
      await inbox.getByRole('textbox').press('Enter');
      await expect(inbox.getByText('echo made again').first()).toBeVisible();
    });
  });
}

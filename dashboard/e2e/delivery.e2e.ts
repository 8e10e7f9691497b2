// The change of a run on its way out: a pull request that is opened in the browser, and how it stands.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { DEVICES, expect, open, test } from './fixtures';
import type { World } from './world.mjs';

const git = (world: World, ...args: string[]) =>
  execFileSync('git', args, { cwd: world.repository }).toString().trim();

/** Merges a run in the dialog that is opened from its result, in another way than the usual one. */
async function mergeBy(page: Page, way: 'Squash' | 'Rebase'): Promise<void> {
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByRole('button', { name: 'Merge' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('radio', { name: way }).click();
  await dialog.getByRole('checkbox', { name: /^Delete the branch/ }).click();
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(result).toContainText('Merged into main');
}

for (const { device, isPhone, settings } of DEVICES) {
  test.describe(`on ${device}`, () => {
    test.use(settings);

    test('a pull request is opened from the page, which then shows its checks and reviews', async ({
      page,
      world,
    }) => {
      await world.addGitHub();
      const run = await world.startCompleted({ title: 'Add two numbers' });
      await open(page, world, `/ui/runs/${run}`);
      const result = page.getByRole('region', { name: 'Result' });
      await result.getByRole('button', { name: 'Open pull request' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByLabel('Base').fill('main');
      await dialog.getByRole('checkbox', { name: 'Open as a draft' }).click();
      await dialog.getByRole('button', { name: 'Open pull request' }).click();
      await expect(result.getByRole('link', { name: 'Pull request #5' })).toBeVisible();
      await expect(result).toContainText('is a draft, 1 check failed, 1 approval');
      await expect(result.getByRole('button', { name: 'Open pull request' })).toHaveCount(0);
      const sent = JSON.parse(readFileSync(join(world.dir, 'bin/sent'), 'utf8'));
      expect(sent).toMatchObject({ draft: true, base: 'main', title: 'Add two numbers' });
    });

    test('a change is squashed into one commit, and its branch is deleted', async ({
      page,
      world,
    }) => {
      const run = await world.startCompleted({ title: 'Add two numbers' });
      const { branch } = await world.get(`/workflows/${run}`);
      await open(page, world, `/ui/runs/${run}`);
      await mergeBy(page, 'Squash');
      expect(git(world, 'log', '--format=%s')).toBe('Add two numbers\nA sum that is wrong');
      expect(git(world, 'branch', '--list', branch)).toBe('');
      expect(git(world, 'worktree', 'list').split('\n')).toHaveLength(1);
    });

    test('a change is rebased onto a branch that has moved, and its branch is deleted', async ({
      page,
      world,
    }) => {
      const run = await world.startCompleted();
      const { branch } = await world.get(`/workflows/${run}`);
      git(world, 'commit', '--quiet', '--allow-empty', '--message', 'Something else');
      await open(page, world, `/ui/runs/${run}`);
      await mergeBy(page, 'Rebase');
      expect(git(world, 'log', '--format=%s').split('\n')).toEqual([
        'docs: explain how to use calc.sh',
        'fix: add instead of subtract',
        'Something else',
        'A sum that is wrong',
      ]);
      expect(git(world, 'branch', '--list', branch)).toBe('');
    });

    test('a pull request is opened from the page of the change', async ({ page, world }) => {
      await world.addGitHub();
      const run = await world.startCompleted({ title: 'Add two numbers' });
      await open(page, world, `/ui/runs/${run}/diff`);
      const button = page.getByRole('button', { name: 'Open pull request' });
      await button.click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByRole('button', { name: 'Open pull request' }).click();
      await expect(page.getByText('Opened pull request #5')).toBeVisible();
      await expect(button).toHaveCount(0);
      await expect(page.getByRole('button', { name: 'Merge' })).toBeVisible();
      const sent = JSON.parse(readFileSync(join(world.dir, 'bin/sent'), 'utf8'));
      expect(sent).toMatchObject({ draft: false, base: 'main', title: 'Add two numbers' });
    });

    test('branch, banner and change stay when the worktree is cleaned up', async ({
      page,
      world,
    }) => {
      const run = await world.startCompleted();
      const { branch } = await world.get(`/workflows/${run}`);
      world.cli('cleanup');
      expect(git(world, 'worktree', 'list').split('\n')).toHaveLength(1);
      await open(page, world, `/ui/runs/${run}`);
      const result = page.getByRole('region', { name: 'Result' });
      await expect(result).toContainText(`Completed. 2 reviewed commits on ${branch}.`);
      await result.getByRole('link', { name: 'See changes' }).click();
      await expect(page.getByRole('region', { name: 'README.md' })).toBeVisible();
      await page.goBack();
      await result.getByRole('button', { name: 'Merge' }).click();
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: 'Merge', exact: true })
        .click();
      await expect(result).toContainText('Merged into main');
      expect(git(world, 'log', '-1', '--format=%s')).toBe('docs: explain how to use calc.sh');
    });

    test('the result of a run is on its page: summary, tasks and cost', async ({ page, world }) => {
      const run = await world.startCompleted();
      await open(page, world, `/ui/runs/${run}`);
      const result = page.getByRole('region', { name: 'Result' });
      await result.getByRole('button', { name: /2 tasks/ }).click();
      await expect(result.getByRole('listitem')).toContainText([
        'Add instead of subtract',
        'Document the usage',
      ]);
    });

    test.describe('with a check that is not installed', () => {
      const checks = [{ name: 'tests', command: 'no-such-test-runner --all', timeout: 60 }];
      test.use({ profile: { checks } });

      test('the page asks about it, and the run takes the checks of the profile', async ({
        page,
        world,
      }) => {
        const run = await world.startApproved();
        await world.until(run, 'paused', 'awaiting_approval');
        await open(page, world, `/ui/runs/${run}`);
        await expect(
          page.getByText(/no-such-test-runner.* is not installed/).first(),
        ).toBeVisible();
        const tail = /no-such-test-runner: (command )?not found/;
        await expect(page.getByText(tail).first()).toBeVisible();
        await world.call('PUT', '/profiles/crew', world.profile('crew'));
        await page.getByRole('button', { name: /use the checks of the profile/i }).click();
        await expect(page.getByRole('region', { name: 'Result' })).toContainText(
          '2 reviewed commits',
        );
      });
    });

    test('what a person has merged with git is not offered again', async ({ page, world }) => {
      const run = await world.startCompleted();
      const { branch } = await world.get(`/workflows/${run}`);
      await open(page, world, `/ui/runs/${run}`);
      const result = page.getByRole('region', { name: 'Result' });
      await expect(result.getByRole('button', { name: 'Merge' })).toBeVisible();
      for (const args of [
        ['merge', '--quiet', '--squash', branch],
        ['commit', '--quiet', '-m', 'by hand'],
      ])
        execFileSync('git', args, { cwd: world.repository });
      await page.reload();
      await expect(result).toContainText('Merged: main has its changes.');
      if (!isPhone) await expect(page.locator('header').first()).toContainText('Merged');
      await expect(result.getByRole('button', { name: 'Merge' })).toHaveCount(0);
    });
  });
}

test('runs are filtered by their repository', async ({ page, world }) => {
  await world.startPlanned({ title: 'In the sample' });
  const other = world.addRepository('other');
  await world.startPlanned({ title: 'In the other one', issue_id: 'B-1', worktree_path: other });
  await open(page, world, '/ui/?view=list');
  const runs = page.getByRole('region', { name: 'Runs' });
  await expect(runs.getByText('In the sample')).toBeVisible();
  await page.getByRole('combobox', { name: 'Repository' }).click();
  await page.getByRole('option', { name: /other/ }).click();
  await expect(runs.getByText('In the other one')).toBeVisible();
  await expect(runs.getByText('In the sample')).toHaveCount(0);
});

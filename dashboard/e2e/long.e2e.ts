// A run with a hundred thousand events opens, scrolls and finds.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, open, test } from './fixtures';
import { program } from './world.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

test('a run of 100,000 events is there from its first to its last', async ({ page, world }) => {
  test.setTimeout(240_000);
  await world.stopServer();
  const bench = process.env.AMELIA_BENCH ?? join(dirname(program()), 'amelia-bench');
  const recording = join(root, 'crates/amelia/demo/recording.jsonl');
  const run = execFileSync(bench, ['long-log', '--home', world.home, '--recording', recording])
    .toString()
    .trim();
  await world.startServer();
  const { sequence } = await world.get(`/workflows/${run}`);
  expect(sequence).toBeGreaterThanOrEqual(100_000);

  await open(page, world, `/ui/runs/${run}?tab=events`);
  await expect(page.getByText(`#${sequence}`).first()).toBeVisible({ timeout: 120_000 });
  await page.goto(`${world.url}/ui/runs/${run}?tab=events&seq=50000`);
  await expect(page.locator('[data-seq="50000"]').first()).toBeVisible({ timeout: 120_000 });
  const rows = await page.locator('[data-seq]').count();
  expect(rows).toBeLessThan(500);
});

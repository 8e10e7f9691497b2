import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import type { CheckResult } from '@/wire/log/CheckResult';
import { CheckRow } from './check-row';

afterEach(cleanup);

const check: CheckResult = {
  name: 'tests',
  command: './test.sh',
  passed: false,
  exit_code: 1,
  timed_out: false,
  output: 'expected 5 and got -1\n',
  duration_ms: 1_000,
};

const show = (more: Partial<CheckResult> = {}) =>
  render(
    <ul>
      <CheckRow check={{ ...check, ...more }} />
    </ul>,
  ).container;

it('shows the end of the output of a check that failed', () => {
  const text = show().textContent;
  expect(text).toContain('failed with exit code 1');
  expect(text).toContain('expected 5 and got -1');
});

it('shows the output of a check that passed only when it is opened', async () => {
  const row = show({ passed: true, exit_code: 0, output: 'ok: 12 tests' });
  expect(row.textContent).not.toContain('ok: 12 tests');
  await userEvent.click(screen.getByRole('button'));
  expect(row.textContent).toContain('ok: 12 tests');
});

it('says so when a check printed nothing', () => {
  expect(show({ output: ' \n' }).textContent).toContain('No output.');
});

import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { RunLog } from '@/model/run/run-log';
import { Downloads } from './downloads';

afterEach(cleanup);

it('names the run in commands by its short id', () => {
  render(<Downloads run="r7" log={new RunLog('01a1ea6c-8a52')} diff={null} at={null} />);
  expect(screen.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
    'amelia diff r7',
    'amelia record export r7 -o r7.jsonl',
    'amelia replay r7',
  ]);
});

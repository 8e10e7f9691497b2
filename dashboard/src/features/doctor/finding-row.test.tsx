import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { FindingRow } from './finding-row';

it('shows the code of a finding and of its hint as code', () => {
  render(
    <FindingRow
      finding={{
        name: 'codex',
        state: 'warning',
        message: '`codex` is not signed in',
        hint: 'sign in with `codex login`',
      }}
    />,
  );
  const codes = screen.getByRole('listitem').querySelectorAll('code');
  expect([...codes].map((code) => code.textContent)).toContain('codex');
  expect(screen.getByRole('listitem').textContent).not.toContain('`');
});

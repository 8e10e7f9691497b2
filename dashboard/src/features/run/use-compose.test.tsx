import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { MemoryRouter, useSearchParams } from 'react-router';
import { afterEach, expect, it } from 'vitest';
import { useCompose } from './use-compose';

afterEach(cleanup);

/** A page that has the field only now, and only in its first tab. */
function Page({ moment }: { moment: number | null }) {
  const [at, setAt] = useState(moment);
  const [search] = useSearchParams();
  const compose = useCompose('words', setAt, true);
  return (
    <>
      <button type="button" onClick={compose}>
        Message
      </button>
      {at === null && !search.has('tab') && <textarea id="words" aria-label="Words" />}
    </>
  );
}

it.each<[string, number | null, string]>([
  ['is there', null, '/'],
  ['is not there in the past', 7, '/'],
  ['is in another tab', null, '/?tab=diff'],
])('puts the focus into a field that %s', async (_, moment, address) => {
  render(
    <MemoryRouter initialEntries={[address]}>
      <Page moment={moment} />
    </MemoryRouter>,
  );
  await act(() => userEvent.click(screen.getByRole('button')));
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Words' }));
});

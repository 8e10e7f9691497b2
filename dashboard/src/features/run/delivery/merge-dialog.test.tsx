import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useToasts } from '@/lib/toast';
import { detailOf } from '@/test/detail';
import { Toaster } from '@/ui/toaster';
import { MergeDialog } from './merge-dialog';

beforeEach(() => useToasts.setState({ toasts: [] }));
afterEach(cleanup);

async function merge(answer: () => Response) {
  vi.spyOn(window, 'fetch').mockImplementation(async () => answer());
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MergeDialog
        detail={detailOf({ status: 'completed', branch: 'amelia/fix', base_branch: 'main' })}
        open
        onOpenChange={() => {}}
      />
      <Toaster />
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Merge' }));
}

it('says what helps when a merge is refused', async () => {
  const error = {
    code: 'WRONG_STATE',
    message: '`amelia/fix` conflicts with `main` in calc.sh; `main` is unchanged',
    hint: 'merge by hand (git merge amelia/fix), or start a new run from `main`',
  };
  await merge(() => Response.json({ error, request_id: 'r' }, { status: 409 }));
  expect((await screen.findByRole('alert')).textContent).toBe(
    'amelia/fix conflicts with main in calc.sh; main is unchanged.' +
      'Merge by hand (git merge amelia/fix), or start a new run from main.',
  );
});

it('tells of a merge in sentences, with the command that undoes it', async () => {
  const notes = ['`main` has 1 commit that the run has not seen: run your tests on the result'];
  const undo = 'git -C /repo reset --keep abc';
  await merge(() => Response.json({ merged: { into: 'main' }, undo, notes }));
  const card = (await screen.findByText('Merged into main')).parentElement;
  expect(card?.textContent).toContain(
    'run your tests on the result.To undo the merge, while main has no newer commits:',
  );
  expect(screen.getByText(undo).tagName).toBe('CODE');
});

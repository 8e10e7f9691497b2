import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handleKey } from '@/lib/keys';
import { type InboxItem, inboxOf } from '@/model/inbox/inbox';
import { detailOf } from '@/test/detail';
import type { Pending } from '@/wire/Pending';
import { PendingItem } from './pending-item';

const asked = (kind: string, context: Pending['context'] = null): Pending => ({
  request_id: 'ask',
  workflow_id: 'run',
  short_id: 'r1',
  title: 'A run',
  kind,
  agent: 'developer',
  prompt: 'go on?',
  context,
  can_accept: false,
  about_checks: false,
  can_allow_always: true,
  requested_at: '2026-11-15T10:00:00Z',
  deadline: null,
  on_timeout: 'reject',
  mode: null,
});

function itemOf(pending: Pending): InboxItem {
  const [item] = inboxOf([pending], [detailOf()]);
  if (!item) throw new Error('there is no item');
  return item;
}

let sent: unknown[] = [];
let clock = 0;
beforeEach(() => {
  sent = [];
  // Each look at the clock is a second later: keys need not wait.
  vi.spyOn(performance, 'now').mockImplementation(() => {
    clock += 1_000;
    return clock;
  });
  window.addEventListener('keydown', handleKey);
  vi.spyOn(window, 'fetch').mockImplementation(async (_input, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return new Response('{}', { status: 202 });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  window.removeEventListener('keydown', handleKey);
  cleanup();
});

function show(item: InboxItem, failure: string | null = null) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <PendingItem item={item} tone="needs-you" failure={failure} hasKeys />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const rounds = {
  ...asked('rounds', { asks: 'review_rounds', open: ['No test'] }),
  can_accept: true,
};

describe('a question on the page of its run', () => {
  it.each<[string, Pending]>([
    ['plan', asked('approval', { plan_path: 'plan.md', goal: 'It adds.', tasks: 2 })],
    ['permission', asked('approval', { permission: { tool: 'Bash', args: { command: 'ls' } } })],
    ['question', asked('question', { options: ['80', '81'] })],
    [
      'elicitation',
      asked('question', { elicitation: { asked: { server: 's', schema: { properties: {} } } } }),
    ],
    ['rounds', rounds],
    ['conflict', asked('rounds', { asks: 'conflict', files: ['a.rs'], conflict: '<<<<<<<' })],
    ['escalation', asked('escalation', { asks: 'commit_hook', output: 'no sign-off' })],
    ...['budget', 'quota', 'pause', 'breakpoint', 'step', 'step_limit'].map(
      (kind): [string, Pending] => [kind, asked(kind)],
    ),
  ])('of kind %s has the answers and the keys of the inbox', (_kind, pending) => {
    const item = itemOf(pending);
    show(item);
    const buttons = screen
      .getAllByRole('button')
      .filter((button) => button.getAttribute('aria-keyshortcuts') !== null);
    expect(
      buttons.map((button) => [
        item.actions.find(({ label }) => button.textContent?.startsWith(label))?.id,
        button.getAttribute('aria-keyshortcuts'),
      ]),
    ).toEqual(item.actions.filter(({ id }) => id !== 'open').map(({ id, key }) => [id, key]));
  });

  it('about a failing check shows its command, and the end of what it printed', () => {
    const context = { asks: 'failing_checks', command: './test.sh', output: 'expected 5\ngot -1' };
    show(itemOf({ ...asked('rounds', context), about_checks: true }));
    expect(screen.getByText('./test.sh')).toBeTruthy();
    expect(document.body.textContent).toContain('expected 5');
    expect(document.body.textContent).toContain('got -1');
  });

  it('is answered by key: rounds that are used up are accepted as they are', async () => {
    show(itemOf(rounds));
    expect(screen.getByText('No test')).toBeTruthy();
    await userEvent.keyboard('y');
    await waitFor(() =>
      expect(sent).toEqual([{ response_type: 'modified', response_data: { accept: true } }]),
    );
  });

  it('does not hear a key that comes with it', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    show(itemOf(rounds));
    await userEvent.keyboard('y');
    expect(sent).toEqual([]);
  });

  it('does not hear a key that was meant for the question above it', async () => {
    const item = itemOf(rounds);
    const at = vi.spyOn(performance, 'now').mockReturnValue(0);
    const view = (hasKeys: boolean) => (
      <QueryClientProvider client={client}>
        <MemoryRouter>
          <PendingItem item={item} tone="needs-you" failure={null} hasKeys={hasKeys} />
        </MemoryRouter>
      </QueryClientProvider>
    );
    const client = new QueryClient();
    const { rerender } = render(view(false));
    at.mockReturnValue(60_000);
    rerender(view(true));
    await userEvent.keyboard('y');
    expect(sent).toEqual([]);
    at.mockReturnValue(61_000);
    await userEvent.keyboard('y');
    await waitFor(() => expect(sent).toHaveLength(1));
  });

  it('shows the rule before it allows a call in this run, and sends it as it was changed', async () => {
    const permission = { tool: 'Bash', args: { command: 'ls -l' }, rule: 'Bash(ls -l)' };
    show(itemOf(asked('approval', { permission })));
    await userEvent.keyboard('t');
    const field = screen.getByRole('textbox');
    expect(field).toHaveProperty('value', 'Bash(ls -l)');
    await userEvent.clear(field);
    await userEvent.type(field, 'Bash(ls *){Enter}');
    const grant = { lasts: 'run', rule: 'Bash(ls *)' };
    await waitFor(() => expect(sent).toEqual([{ response_type: 'approved', grant }]));
  });

  it('offers no rule for a call with a secret', async () => {
    const permission = { tool: 'Bash', args: { command: 'curl [redacted]' }, rule: null };
    show(itemOf(asked('approval', { permission })));
    await userEvent.keyboard('y');
    expect(screen.getByRole('textbox')).toHaveProperty('value', '');
    await userEvent.keyboard('{Enter}');
    expect(sent).toEqual([]);
  });

  it('takes one of the answers that the agent offers', async () => {
    show(itemOf(asked('question', { options: ['80', '81'] })));
    await userEvent.keyboard('2{Enter}');
    await waitFor(() => expect(sent).toEqual([{ response_type: 'approved', message: '81' }]));
  });

  describe('of an MCP server', () => {
    const properties = {
      name: { type: 'string', title: 'Full name', description: 'As in the passport' },
      age: { type: 'integer', title: 'Age', minimum: 1, maximum: 99, default: 36 },
      agrees: { type: 'boolean', title: 'Agrees' },
      fish: { type: 'array', title: 'Fish', items: { enum: ['tuna', 'cod'] } },
    };
    const schema = { type: 'object', properties, required: ['name'] };
    const question = (id: string) => ({
      ...asked('question', { elicitation: { asked: { server: 'crm', message: 'Who?', schema } } }),
      request_id: id,
    });

    it('is filled in, checked at the field, and sent as an object', async () => {
      show(itemOf(question('form-1')));
      expect(screen.getByText('crm').tagName).toBe('CODE');
      await userEvent.keyboard('a');
      const name = screen.getByLabelText('Full name');
      expect(document.activeElement).toBe(name);
      const age = screen.getByLabelText('Age');
      expect(age).toHaveProperty('value', '36');
      await userEvent.clear(age);
      await userEvent.type(age, '100{Enter}');
      expect(sent).toEqual([]);
      expect(screen.getByText('Required.')).toBeTruthy();
      expect(age.getAttribute('aria-invalid')).toBe('true');
      expect(age.getAttribute('aria-describedby')).toBe(screen.getByText('Enter 99 or less.').id);
      await waitFor(() => expect(document.activeElement).toBe(name));
      // Letters and digits of the page, typed.
      await userEvent.type(name, 'Ada 1');
      expect(screen.queryByText('Required.')).toBeNull();
      expect(screen.getByText('As in the passport')).toBeTruthy();
      await userEvent.type(age, '{Backspace}');
      await userEvent.click(screen.getByRole('checkbox', { name: 'Agrees' }));
      // On a box that is no text field, either.
      await userEvent.keyboard('r');
      await userEvent.click(
        within(screen.getByRole('group', { name: 'Fish' })).getByLabelText('cod'),
      );
      await userEvent.click(screen.getByRole('button', { name: /Send/ }));
      await waitFor(() =>
        expect(sent).toEqual([
          {
            response_type: 'modified',
            response_data: { name: 'Ada 1', age: 10, agrees: true, fish: ['cod'] },
          },
        ]),
      );
    });

    it('is declined from the form; Escape leaves it, and what was typed is still there', async () => {
      show(itemOf(question('form-2')));
      await userEvent.keyboard('a');
      await userEvent.type(screen.getByLabelText('Full name'), 'Eve{Escape}');
      expect(screen.queryByLabelText('Full name')).toBeNull();
      await userEvent.click(screen.getByRole('button', { name: /Answer/ }));
      expect(screen.getByLabelText('Full name')).toHaveProperty('value', 'Eve');
      await userEvent.click(screen.getByRole('button', { name: /Decline/ }));
      await waitFor(() => expect(sent).toEqual([{ response_type: 'rejected' }]));
    });
  });

  it('wants words before it requests changes, and a yes before it cancels', async () => {
    show(itemOf(asked('approval', { plan_path: 'plan.md', tasks: 1 })));
    await userEvent.keyboard('r');
    await userEvent.type(screen.getByLabelText(/What should change/), 'Less{Enter}');
    await waitFor(() => expect(sent).toEqual([{ response_type: 'rejected', message: 'Less' }]));
    cleanup();
    show(itemOf(rounds));
    await userEvent.keyboard('r');
    expect(screen.getByText(/Cancel this run permanently/)).toBeTruthy();
    expect(sent).toHaveLength(1);
  });

  it('says all that is known about a failure', () => {
    const message = 'it broke\n  hint: run `amelia doctor`';
    const why = { waiting_for: 'retry', since: null, message, unblock: '' };
    const [item] = inboxOf([], [detailOf({ why })]);
    if (item) show(item, 'it broke\nhere and there\n  hint: run `amelia doctor`');
    expect(screen.getByText(/here and there/)).toBeTruthy();
    // The advice is a sentence of its own, with its code as code.
    expect(screen.queryByText(/hint:/)).toBeNull();
    expect(screen.getByText('amelia doctor').tagName).toBe('CODE');
    expect(screen.queryByRole('button', { name: /Dismiss/ })).toBeNull();
  });
});

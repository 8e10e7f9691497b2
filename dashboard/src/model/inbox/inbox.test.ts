import { describe, expect, it } from 'vitest';
import { toneOf } from '@/model/board/board';
import type { Pending } from '@/wire/Pending';
import type { RunSummary } from '@/wire/RunSummary';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { formOf, proposedLimit } from './action-form';
import { type ActionId, commandOf, requestOf } from './actions';
import { evidenceOf } from './evidence';
import { announcementOf, inboxOf } from './inbox';

const RUN: RunSummary = {
  id: 'run-1',
  short_id: 'r1',
  title: 'calc.sh does not add',
  status: 'awaiting_approval',
  pipeline: 'implementation',
  profile: 'crew',
  issue_id: 'DEMO-1',
  worktree_path: '/src/sample',
  branch: null,
  created_at: '2026-11-15T10:00:00Z',
  started_at: null,
  updated_at: null,
  completed_at: null,
  stages: ['approve'],
  pending_requests: 1,
  why: null,
  agents: [],
  activity: null,
  task: null,
  review_round: 0,
  usage: { tokens: 280, cost_usd: 0, calls: 2, unpriced_calls: 2, estimated_calls: 0 },
  budget: { usd: null, tokens: null, calls: null, wall_seconds: null },
  forked_from: null,
  error: null,
  merged: null,
  pull_request: null,
  is_archived: false,
};

const ASKED: Pending = {
  request_id: 'ask-1',
  workflow_id: 'run-1',
  short_id: 'r1',
  title: RUN.title,
  kind: 'approval',
  agent: 'system',
  prompt: 'go on?',
  context: null,
  can_accept: false,
  about_checks: false,
  can_allow_always: true,
  requested_at: '2026-11-15T10:05:00Z',
  deadline: null,
  on_timeout: 'reject',
  mode: null,
};

function one(asked: Partial<Pending>, run: Partial<RunSummary> = {}) {
  const [item] = inboxOf([{ ...ASKED, ...asked }], [{ ...RUN, ...run }]);
  if (!item) throw new Error('there is no item');
  return item;
}

const PLAN = {
  kind: 'approval',
  prompt: 'approve the plan (2 tasks)?',
  context: { plan_path: 'docs/plan.md', goal: 'It adds.', tasks: 2, problems: [] },
};
const PERMISSION = {
  kind: 'approval',
  agent: 'developer',
  prompt: 'Developer wants to use Bash: rm -r build',
  context: {
    permission: {
      tool: 'Bash',
      args: { command: 'rm -r build', timeout: 5 },
      rule: 'Bash(rm -r build)',
    },
  },
};
const QUESTION = {
  kind: 'question',
  agent: 'developer',
  prompt: 'Which port?',
  context: { call: 'c1', options: ['8420', '80'] },
};
const ROUNDS = {
  kind: 'rounds',
  prompt: '3 review rounds are used up and 1 finding is open: go on, accept it as it is, or stop?',
  context: { asks: 'review_rounds', open: ['No test'] },
  can_accept: true,
};
const LOOP = { kind: 'rounds', prompt: 'it says the same again and again: go on?', context: null };
const TORN = {
  kind: 'rounds',
  prompt: 'it does not fit',
  context: { asks: 'conflict', files: ['a.rs'], conflict: '<<<<<<<' },
  can_accept: true,
};
const MISSING = {
  kind: 'rounds',
  prompt: 'the check `tests` cannot run: `pytest` is not installed',
  context: { asks: 'missing_program', command: 'pytest', output: 'not found' },
  about_checks: true,
};
const HOOK = {
  kind: 'escalation',
  prompt: 'a hook of the repository refused the commit; fix it, then try again?\nno sign-off',
  context: { asks: 'commit_hook', output: 'no sign-off' },
};
const PING_PONG = {
  kind: 'escalation',
  prompt:
    '`a` and `b` keep handing off to each other with the same message, without changing a file: continue?',
  context: { asks: 'ping_pong', agents: ['a', 'b'] },
};
const TIE = {
  kind: 'approval',
  prompt: 'the votes on `Build it.` are not decisive: accept it?',
  context: { asks: 'tie', proposal: 'board-1' },
};
const FEEDBACK = {
  kind: 'question',
  prompt: 'about rivers.md: Is it long enough?',
  context: { hitl: 'feedback', artifact: 'rivers.md', questions: ['Is it long enough?'] },
};
const HELP = {
  kind: 'escalation',
  prompt: 'the tests need a database',
  context: { hitl: 'escalation', issue: 'the tests need a database' },
};
const TOKENS = {
  kind: 'budget',
  prompt: 'the budget of 300 tokens would be exceeded (545): go on?',
  context: { limit: { tokens: { limit: 300, would_be: 545 } } },
};
const UNPRICED = {
  kind: 'budget',
  prompt:
    'the price of the model is unknown (calls so far: 0), so a budget in USD cannot be checked: continue?\n  hint: set a price',
  context: { whose: 'run', limit: { unpriced: { calls: 0 } } },
};
const DAY = {
  kind: 'budget',
  prompt:
    "the server's day: the budget of 1.2000 USD would be exceeded (1.5000 USD): go on?\n  hint: raise it",
  context: {
    whose: { day: { until: '2026-11-16T00:00:00Z' } },
    limit: { usd: { limit: 1.2, would_be: 1.5 } },
  },
};

describe('what needs a person', () => {
  it.each([
    [PLAN, 'plan', ['approve', 'reject', 'plan', 'open']],
    [{ ...PLAN, context: { ...PLAN.context, tasks: 0 } }, 'plan', ['reject', 'plan', 'open']],
    [{ kind: 'approval' }, 'approval', ['approve', 'modify', 'reject', 'open']],
    [PERMISSION, 'permission', ['approve', 'allow_run', 'allow_always', 'reject', 'diff', 'open']],
    [
      { ...PERMISSION, can_allow_always: false },
      'permission',
      ['approve', 'allow_run', 'reject', 'diff', 'open'],
    ],
    [QUESTION, 'question', ['answer', 'decline', 'open']],
    [ROUNDS, 'rounds', ['go_on', 'accept', 'cancel', 'diff', 'open']],
    [LOOP, 'rounds', ['go_on', 'cancel', 'diff', 'open']],
    [MISSING, 'rounds', ['go_on', 'checks', 'cancel', 'diff', 'open']],
    [TORN, 'conflict', ['go_on', 'accept', 'cancel', 'diff', 'open']],
    [HOOK, 'conflict', ['go_on', 'cancel', 'diff', 'open']],
    [PING_PONG, 'decision', ['go_on', 'accept', 'cancel', 'diff', 'open']],
    [TIE, 'approval', ['approve', 'reject', 'open']],
    [FEEDBACK, 'question', ['answer', 'decline', 'open']],
    [HELP, 'help', ['answer', 'decline', 'open']],
    [TOKENS, 'budget', ['raise', 'cancel', 'open']],
    [DAY, 'budget', ['go_on', 'cancel', 'open']],
    [UNPRICED, 'budget', ['go_on', 'remove_limit', 'cancel', 'open']],
    [{ kind: 'quota' }, 'quota', ['go_on', 'cancel', 'open']],
    [{ kind: 'pause' }, 'pause', ['go_on', 'cancel', 'open']],
    [{ kind: 'breakpoint' }, 'breakpoint', ['go_on', 'cancel', 'open']],
    [{ kind: 'step' }, 'step', ['step', 'continue', 'cancel', 'open']],
    [{ kind: 'something new' }, 'approval', ['approve', 'modify', 'reject', 'open']],
  ])('%j is a %s', (asked, kind, actions) => {
    const item = one(asked);
    expect([item.kind, item.actions.map(({ id }) => id)]).toEqual([kind, actions]);
    const keys = item.actions.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each([
    [PLAN, 'The plan is ready. No files change before you approve it'],
    [PERMISSION, 'Asks to use Bash: `rm -r build`'],
    [QUESTION, 'Which port?'],
    [HOOK, 'A hook of the repository refused the commit; fix it, then try again?'],
    [TOKENS, 'The limit is 300 tokens; the next step would bring it to 545 tokens'],
    [LOOP, 'It says the same again and again'],
    [ROUNDS, '3 review rounds are used up and 1 finding is open'],
    [
      UNPRICED,
      'The price of the model is unknown (calls so far: 0), so a budget in USD cannot be checked',
    ],
  ])('%j is said plainly', (asked, why) => {
    expect(one(asked).why).toBe(why);
  });

  it.each([
    ['cargo test', 'Bash(cargo test)', /Use \* for any ending, as in Bash\(cargo \*\)$/],
    ['sleep 15; echo done', 'Bash(sleep 15; echo done)', /A rule with \* never matches a command/],
    ['echo $HOME', 'Bash(echo $HOME)', /Use \* for any ending/],
    ['echo $(id)', 'Bash(echo $(id))', /A rule with \* never matches a command/],
    [null, 'Bash', /with this profile\.$/],
  ])('asks for a rule that can match %j', (command, rule, words) => {
    const context = { permission: { tool: 'Bash', args: { command }, rule } };
    const item = one({ ...PERMISSION, context });
    expect(item.actions.find(({ id }) => id === 'allow_always')?.asks).toMatch(words);
  });

  it('offers no rule where none can match', () => {
    const context = { permission: { tool: 'Bash', args: { command: 'ls\npwd' }, rule: null } };
    const item = one({ ...PERMISSION, context });
    expect(item.actions.map(({ id }) => id)).toEqual(['approve', 'reject', 'diff', 'open']);
  });

  it('says what a team asks, and shows what there is to know', () => {
    expect([PING_PONG, TIE, FEEDBACK, HELP].map((asked) => one(asked).what)).toEqual([
      'Agents repeat themselves',
      'Undecided vote',
      'Feedback',
      'Help wanted',
    ]);
    const context = { hitl: 'approval', action: 'publish it', context: { readers: 12 } };
    expect(one({ kind: 'approval', prompt: 'publish it', context }).detail).toEqual({
      type: 'asked',
      tool: 'approval',
      questions: [],
      about: '{\n  "readers": 12\n}',
    });
  });

  it('says what silence means', () => {
    const item = one({ deadline: '2026-11-15T11:00:00Z', on_timeout: 'approve' });
    expect(item.deadline).toEqual({ at: '2026-11-15T11:00:00Z', after: 'then it is approved' });
    expect(one({ mode: 'advisory' }).continues).toBe('The agent continues');
    expect(one({ mode: 'synchronous' }).continues).toBeNull();
  });

  it('shows the whole call that is to be allowed', () => {
    expect(one(PERMISSION).detail).toEqual({
      type: 'call',
      tool: 'Bash',
      command: 'rm -r build',
      rest: '{\n  "timeout": 5\n}',
      rule: 'Bash(rm -r build)',
      canAllowAlways: true,
    });
  });

  it('says of a run without its key which one, where to set it, and how it is resumed', () => {
    const message =
      'the variable `A_KEY` is not set where the run is to continue; it keeps its position\n  hint: write A_KEY=… into config/keys.env in the home; then amelia resume r4';
    const why = { waiting_for: 'key', message, unblock: '', since: null };
    const run: RunSummary = { ...RUN, status: 'failed', why };
    const [item] = inboxOf([], [run]);
    expect(item).toMatchObject({
      what: 'Needs a key',
      why: 'The variable `A_KEY` is not set where the run is to continue; it keeps its position',
      hint: 'Write A_KEY=… into config/keys.env in the home; then amelia resume r4',
    });
    expect(item?.actions[0]).toMatchObject({ id: 'go_on', label: 'Resume' });
    expect(toneOf(run)).toBe('needs-you');
  });

  it('leaves a hint that is a command as it is', () => {
    const message = 'it broke\n  hint: amelia resume r4';
    const why = { waiting_for: 'retry', message, unblock: '', since: null };
    const run: RunSummary = { ...RUN, status: 'failed', why };
    const [item] = inboxOf([], [run]);
    expect(item?.hint).toBe('amelia resume r4');
  });

  it('lists runs that stand still after the questions, newest first, and once', () => {
    const why = { waiting_for: 'retry', message: 'it broke\n  hint: try later', unblock: '' };
    const failed: RunSummary[] = ['2026-11-14', '2026-11-15'].map((since) => ({
      ...RUN,
      id: since,
      status: 'failed',
      why: { ...why, since },
    }));
    const idle = { ...RUN, id: 'idle', why: { ...why, waiting_for: 'work', since: null } };
    const items = inboxOf([ASKED], [...failed, idle, RUN, RUN]);
    expect(items.map(({ kind, run }) => [kind, run])).toEqual([
      ['approval', 'run-1'],
      ['failed', '2026-11-15'],
      ['failed', '2026-11-14'],
    ]);
    expect(items[1]).toMatchObject({ why: 'It broke', hint: 'Try later' });
    const second = items[1]?.id;
    expect(inboxOf([], failed, (id) => id === second).map(({ run }) => run)).toEqual([
      '2026-11-14',
    ]);
  });
});

describe('an answer', () => {
  const respond = { type: 'respond', request: 'ask-1' };
  it.each<[Partial<Pending>, ActionId, string, unknown, string]>([
    [PLAN, 'approve', '', { ...respond, response: 'approved' }, 'amelia approve r1'],
    [
      PLAN,
      'reject',
      "it's too big",
      { ...respond, response: 'rejected', message: "it's too big" },
      "amelia reject r1 --feedback 'it'\\''s too big'",
    ],
    [
      { kind: 'approval' },
      'modify',
      'shorter',
      { ...respond, response: 'modified', message: 'shorter' },
      'amelia answer r1 ask-1 --modify shorter',
    ],
    [
      QUESTION,
      'answer',
      ' 80 ',
      { ...respond, response: 'approved', message: '80' },
      'amelia answer r1 ask-1 --message 80',
    ],
    [
      QUESTION,
      'decline',
      '',
      { ...respond, response: 'rejected' },
      'amelia answer r1 ask-1 --reject',
    ],
    [
      PERMISSION,
      'allow_run',
      'Bash(rm *)',
      { ...respond, response: 'approved', grant: { lasts: 'run', rule: 'Bash(rm *)' } },
      "amelia approve r1 --for-run 'Bash(rm *)'",
    ],
    [
      PERMISSION,
      'allow_always',
      'Bash',
      { ...respond, response: 'approved', grant: { lasts: 'always', rule: 'Bash' } },
      'amelia approve r1 --always Bash',
    ],
    [ROUNDS, 'go_on', '', { ...respond, response: 'approved' }, 'amelia resume r1 --approve'],
    [
      ROUNDS,
      'accept',
      '',
      { ...respond, response: 'modified', data: { accept: true } },
      'amelia resume r1 --accept',
    ],
    [PING_PONG, 'go_on', '', { ...respond, response: 'approved' }, 'amelia resume r1 --approve'],
    [
      HELP,
      'answer',
      'Use SQLite',
      { ...respond, response: 'approved', message: 'Use SQLite' },
      "amelia answer r1 ask-1 --message 'Use SQLite'",
    ],
    [{ kind: 'pause' }, 'go_on', '', { type: 'resume' }, 'amelia resume r1'],
    [{ kind: 'step' }, 'step', '', { type: 'step' }, 'amelia step r1'],
    [
      UNPRICED,
      'remove_limit',
      '',
      { type: 'resume', off: ['usd'] },
      'amelia resume r1 --no-budget',
    ],
    [TOKENS, 'cancel', '', { type: 'cancel' }, 'amelia cancel r1'],
  ])('to %j by %s %s', (asked, action, words, request, command) => {
    const item = one(asked);
    expect(requestOf(item, action, words)).toEqual(request);
    expect(commandOf(item, action, words)).toBe(command);
  });

  it.each([
    [{ usd: { limit: 0.5, would_be: 0.75 } }, 'usd', 0.5, 0.75],
    [{ tokens: { limit: 300, would_be: 545 } }, 'tokens', 300, 545],
    [{ calls: { limit: 2, would_be: 3 } }, 'calls', 2, 3],
    [{ time: { limit: 60, taken: 60 } }, 'wall_seconds', 60, null],
    [{ unpriced: { calls: 1 } }, 'usd', null, null],
  ])('reads the limit %j from the question, whatever its words are', (limit, which, most, to) => {
    const item = one({ kind: 'budget', prompt: 'Continue?', context: { limit } });
    const isUnpriced = 'unpriced' in limit;
    const detail = { which, limit: most, wouldBe: to, isElsewhere: false, isUnpriced };
    expect(item.detail).toMatchObject(detail);
    expect(item.actions[0]?.id).toBe(isUnpriced ? 'go_on' : 'raise');
  });

  it('takes the limit from the data and the run, never from the words', () => {
    const prompt = 'the budget of 300 tokens would be exceeded (545): continue?';
    const run = { ...RUN, budget: { ...RUN.budget, calls: 7 } };
    const [item] = inboxOf([{ ...ASKED, kind: 'budget', prompt, context: {} }], [run]);
    expect(item?.detail).toMatchObject({ which: 'calls', limit: 7, wouldBe: null });
  });

  it('raises the limit that was reached', () => {
    const item = one(TOKENS);
    expect(proposedLimit(item)).toBe(1100);
    expect(requestOf(item, 'raise', '', 1100)).toEqual({
      type: 'resume',
      budget: { tokens: 1100 },
    });
    expect(commandOf(item, 'raise', '', 1100)).toBe('amelia resume r1 --max-tokens 1100');
    const money = one({
      kind: 'budget',
      prompt: 'the budget of 0.5000 USD would be exceeded (0.5213 USD): go on?',
      context: { limit: { usd: { limit: 0.5, would_be: 0.5213 } } },
    });
    expect(proposedLimit(money)).toBe(1.05);
    const time = one({
      kind: 'budget',
      prompt: 'the time of 60 s is used up: continue?',
      context: { limit: { time: { limit: 60, taken: 60 } } },
    });
    expect(commandOf(time, 'raise', '', 120)).toBe('amelia resume r1 --max-time 120s');
    expect(commandOf(money, 'raise', '', 2)).toBe('amelia resume r1 --budget 2');
  });
});

describe('the question of an MCP server', () => {
  const asking = (properties: { [key in string]: JsonValue }) =>
    one({
      kind: 'question',
      prompt: 'The MCP server `crm` asks: Who is it?\n- name (string): Full name\nAnswer with it.',
      context: {
        elicitation: {
          asked: { server: 'crm', message: 'Who is it? ', schema: { type: 'object', properties } },
          answered: [],
        },
      },
    });

  it('is answered with fields, or declined', () => {
    const item = asking({ name: { type: 'string' } });
    expect(item.why).toBe('The MCP server `crm` asks: Who is it?');
    expect(item.actions.map(({ id, label, wants }) => [id, label, wants])).toEqual([
      ['answer', 'Answer', 'fields'],
      ['decline', 'Decline', 'nothing'],
      ['open', 'Open run', 'nothing'],
    ]);
    expect(requestOf(item, 'answer', '', null, { name: 'Ada' })).toEqual({
      type: 'respond',
      request: 'ask-1',
      response: 'modified',
      data: { name: 'Ada' },
    });
    expect(requestOf(item, 'decline')).toMatchObject({ response: 'rejected' });
    expect(evidenceOf(item.detail)).toEqual([]);
  });

  it('is the same in a terminal, as JSON', () => {
    const item = asking({ name: { type: 'string' } });
    const [answer] = item.actions;
    const form = answer && formOf(item, answer).form;
    expect(form?.commandOf({ name: 'Ada' })).toBe(
      `amelia answer r1 ask-1 --message '{"name":"Ada"}'`,
    );
  });

  it('is answered in words when a form cannot show it, and says what it asks for', () => {
    const item = asking({ address: { type: 'object', properties: {} } });
    expect(item.actions[0]).toMatchObject({ id: 'answer', wants: 'words' });
    expect(evidenceOf(item.detail)).toEqual([
      { type: 'lines', lines: ['name (string): Full name', 'Answer with it.'], isCode: false },
    ]);
    expect(requestOf(item, 'answer', 'x')).toMatchObject({ response: 'approved', message: 'x' });
  });
});

describe('the announcement', () => {
  it.each([
    [0, ''],
    [1, 'Approve plan: calc.sh does not add'],
    [3, '3 new things need you'],
  ])('of %d', (count, words) => {
    expect(announcementOf(Array.from({ length: count }, () => one(PLAN)))).toBe(words);
  });
});

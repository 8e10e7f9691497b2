import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@/model/inbox/json';
import { agentEvent, entered, eventOf, said } from '@/test/events';
import type { LogEvent } from '@/wire/LogEvent';
import type { HumanRequest } from '@/wire/log/HumanRequest';
import type { RunEvent } from '@/wire/log/RunEvent';
import type { RunSpec } from '@/wire/log/RunSpec';
import type { TeamEvent } from '@/wire/log/TeamEvent';
import { membersOf, readRoster, rosterOf } from './roster';
import { edgeKey, teamGraph } from './team-graph';
import { TeamView } from './team-view';
import { voteCount } from './votes';

const NEWS: JsonObject = {
  name: 'news',
  description: 'Writes.',
  agents: [
    { name: 'writer', role: 'writes' },
    { name: 'critic', role: 'judges' },
  ],
  handoff_rules: [
    { from_agent: 'writer', to_agent: 'critic' },
    { from_agent: 'critic', to_agent: 'writer', condition: 'true' },
  ],
};

const withPattern = (type: string, more: object = {}) => ({
  name: 'team',
  agents: ['a', 'b', 'lead'].map((name) => ({ name, role: '' })),
  collaboration_patterns: [
    { name: 'p', type, agents: ['a', 'b'], coordination_agent: 'lead', ...more },
  ],
});

const team = (seq: number, fact: TeamEvent, agent = 'system', session: string | null = null) =>
  eventOf(seq, { team: fact }, { agent, session });

function viewOf(events: LogEvent[]): TeamView {
  const view = new TeamView();
  for (const event of events) view.add(event);
  return view;
}

const handedOff = (from: string, to: string, reason: string): TeamEvent => ({
  handed_off: { from, to, reason, kind: 'sequential' },
});

const finished = (seq: number, agent: string) =>
  agentEvent(seq, 1, agent, { finished: { text: 'done', is_error: false } });

describe('the roster of a team', () => {
  it('is what the run was started with', () => {
    const input = { team_config: NEWS, prompt: 'About rivers' };
    const spec = { input } as unknown as RunSpec;
    const roster = rosterOf([eventOf(1, { run: { created: { spec } } })]);
    expect(roster?.levels[0]?.members.map(({ name, role }) => [name, role])).toEqual([
      ['writer', 'writes'],
      ['critic', 'judges'],
    ]);
    expect(roster?.way).toBe('handoff');
    expect(rosterOf([entered(1, 'plan', 1)])).toBeNull();
  });

  it('is the one that a person has put in its place', () => {
    const spec = { input: { team_config: NEWS } } as unknown as RunSpec;
    const input = { team_config: { ...NEWS, agents: [{ name: 'author', role: 'writes' }] } };
    const run = { team_replaced: { input, changes: [] } } as unknown as RunEvent;
    const events = [eventOf(1, { run: { created: { spec } } }), eventOf(2, { run })];
    expect(rosterOf(events)?.levels[0]?.members.map(({ name }) => name)).toEqual(['author']);
  });

  it.each([
    ['sequential', ['lead a', 'lead b']],
    ['parallel', ['a lead', 'b lead']],
    ['consensus', ['lead a', 'lead b']],
    ['hierarchical', ['lead a', 'lead b']],
  ])('has the edges of the pattern %s', (type, edges) => {
    const roster = readRoster(withPattern(type));
    expect(roster?.way).toBe(type);
    expect(roster?.levels[0]?.edges.map(({ from, to }) => `${from} ${to}`)).toEqual(edges);
  });

  it('has an edge from each step to those that can follow', () => {
    const workflow = [
      { step: 'build', agent: 'a', next_on_success: 'test' },
      { step: 'test', agent: 'b', next_on_fail: 'build', next_on_pass: 'tell' },
      { step: 'tell', agent: 'a' },
    ];
    const roster = readRoster(withPattern('custom', { config: { workflow } }));
    expect(roster?.levels[0]?.edges).toEqual([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]);
  });

  it('has edges over the steps that a person or a command does', () => {
    const workflow = [
      { step: 'build', agent: 'a', next_on_success: 'test' },
      { step: 'test', check: 'make test', next_on_pass: 'accept', next_on_fail: 'build' },
      { step: 'accept', ask: 'Is it good?', next_on_approve: 'tell', next_on_reject: 'test' },
      { step: 'tell', agent: 'b' },
    ];
    const roster = readRoster(withPattern('custom', { config: { workflow } }));
    expect(roster?.levels[0]?.edges).toEqual([{ from: 'a', to: 'b' }]);
  });

  it('contains the agents of a team inside it', () => {
    const outer: JsonObject = {
      name: 'press',
      agents: [
        { name: 'reporter', role: 'finds' },
        { name: 'desk', role: 'writes', team: 'news' },
      ],
      handoff_rules: [{ from_agent: 'reporter', to_agent: 'desk' }],
    };
    const roster = readRoster(outer, { news: NEWS });
    expect(roster && membersOf(roster).map(({ name }) => name)).toEqual([
      'reporter',
      'desk',
      'desk/writer',
      'desk/critic',
    ]);
    expect(roster?.levels.map(({ path, edges }) => [path, edges.length])).toEqual([
      ['', 1],
      ['desk/', 2],
    ]);
    const view = viewOf([said(1, 1, 'desk/critic', 'Too short.')]);
    expect(view.standing('desk').state).toBe('working');
    expect(view.standing('reporter').state).toBe('idle');
  });
});

describe('a team at work', () => {
  it('hands off, with reasons', () => {
    const view = viewOf([
      said(1, 1, 'writer', 'Rivers are long.'),
      finished(2, 'writer'),
      team(3, handedOff('writer', 'critic', 'rule')),
      said(4, 2, 'critic', 'It is too short.'),
      team(5, handedOff('critic', 'writer', 'say what rivers do')),
    ]);
    expect(view.handoffs.map(({ from, to, reason }) => [from, to, reason])).toEqual([
      ['writer', 'critic', 'rule'],
      ['critic', 'writer', 'say what rivers do'],
    ]);
    expect(view.agents.get('writer')).toMatchObject({ state: 'done', turns: 1 });
    expect(view.agents.get('critic')).toMatchObject({ state: 'working', last: 'It is too short.' });
  });

  it('counts a turn once, over all its answers', () => {
    const view = viewOf([
      agentEvent(1, 1, 'writer', { started: {} }),
      said(2, 1, 'writer', 'One.'),
      said(3, 1, 'writer', 'Two.'),
      finished(4, 'writer'),
      said(5, 2, 'writer', 'Three.'),
    ]);
    expect(view.agents.get('writer')?.turns).toBe(2);
  });

  it('waits for the person whom an agent asked, and stops with its run', () => {
    const request: HumanRequest = {
      id: 'q',
      kind: 'question',
      by: 'writer',
      at: '2026-11-15T12:00:00Z',
      prompt: 'Which river?',
    };
    const asked = [
      said(1, 1, 'writer', 'Hm.'),
      eventOf(2, { human: { requested: request } }),
      eventOf(3, { run: { paused: { reason: 'question' } } }),
    ];
    expect(viewOf(asked).agents.get('writer')).toMatchObject({
      state: 'waiting',
      last: 'Which river?',
    });
    const replied = {
      request: 'q',
      action: 'approve' as const,
      by: 'ada',
      at: '2026-11-15T12:01:00Z',
    };
    const answered = viewOf([...asked, eventOf(4, { human: { replied } })]);
    expect(answered.agents.get('writer')?.state).toBe('working');
    const ended = viewOf([said(1, 1, 'writer', 'Hm.'), eventOf(2, { run: { completed: {} } })]);
    expect(ended.agents.get('writer')?.state).toBe('idle');
  });

  it('delegates, and gets the result back from the same conversation', () => {
    const there = (seq: number, to: string, session: string, task: string) =>
      team(
        seq,
        { handed_off: { from: 'lead', to, reason: task, kind: 'hierarchical' } },
        'lead',
        session,
      );
    const view = viewOf([
      there(1, 'a', 's1', 'Write it.'),
      there(2, 'a', 's2', 'Write more.'),
      team(
        3,
        { handed_off: { from: 'a', to: 'lead', reason: 'returned', kind: 'hierarchical' } },
        'a',
        's2',
      ),
    ]);
    expect(view.delegations.map(({ task, returned }) => [task, returned?.seq ?? null])).toEqual([
      ['Write it.', null],
      ['Write more.', 3],
    ]);
    expect(view.handoffs).toEqual([]);
  });

  it('works at the same time, and arrives at points', () => {
    const joined = { sync_point: 'facts', completed: ['a'], waiting: ['b'] };
    const view = viewOf([
      team(1, { forked: { agents: ['a', 'b'], coordinator: 'lead', sync_points: ['facts'] } }),
      team(2, { joined }, 'a'),
    ]);
    expect(view.forks).toMatchObject([
      { agents: ['a', 'b'], points: ['facts'], arrivals: [{ agent: 'a', point: 'facts', seq: 2 }] },
    ]);
  });

  it('votes, with reasons and a result', () => {
    const proposed = {
      proposal: 'board-1',
      by: 'lead',
      decision: 'Build it.',
      stakeholders: ['a', 'b'],
    };
    const voted = { proposal: 'board-1', by: 'a', vote: 'reject', reasoning: 'Too expensive.' };
    const events = [team(1, { proposed }), team(2, { voted }, 'a')];
    const [open] = viewOf(events).proposals;
    expect(open && voteCount(open)).toEqual({ silent: ['b'], words: '1 against it' });
    const again = team(3, { proposed: { ...proposed, proposal: 'board-2' } });
    expect(viewOf([...events, again]).proposals.map((one) => one.isReplaced)).toEqual([
      true,
      false,
    ]);
    const agreed = { proposal: 'board-1', decision: 'rejected', votes: { a: 'reject' } };
    const [closed] = viewOf([...events, team(3, { agreed })]).proposals;
    expect(closed).toMatchObject({
      votes: [{ by: 'a', vote: 'reject', reason: 'Too expensive.' }],
      result: { decision: 'rejected', seq: 3 },
    });
  });
});

describe('guardrails', () => {
  it('tell which policies were not kept, and by whom', () => {
    const violated = {
      id: 'v1',
      check: 'content_filter' as const,
      severity: 'high' as const,
      policy: 'no-secrets',
      sample: 'the key is …',
      action: 'blocked' as const,
    };
    const changed = { policy: 'no-secrets', change: 'modified' as const, by: 'ada' };
    const view = viewOf([
      eventOf(1, { guardrail: { violated } }, { agent: 'writer', summary: 'policy violated' }),
      eventOf(2, { guardrail: { policy_changed: changed } }),
    ]);
    expect(view.violations).toMatchObject([
      { agent: 'writer', policy: 'no-secrets', action: 'blocked', summary: 'policy violated' },
    ]);
  });
});

describe('the graph of a team', () => {
  it('counts what was done, and knows what the file does not say', () => {
    const [level] = readRoster(NEWS)?.levels ?? [];
    if (!level) throw new Error('there is a team');
    const view = viewOf([
      team(1, handedOff('writer', 'critic', 'rule')),
      team(2, handedOff('critic', 'writer', 'again')),
      team(3, handedOff('writer', 'critic', 'rule')),
      team(4, handedOff('writer', 'nobody', 'rule')),
    ]);
    const graph = teamGraph(level, view);
    expect(graph.nodes).toEqual(['writer', 'critic']);
    expect(graph.edges).toHaveLength(2);
    expect(graph.taken.get(edgeKey({ from: 'writer', to: 'critic' }))).toBe(2);
  });

  it('has the coordinator above those that it leads, and below those that it merges', () => {
    const nodesOf = (type: string) => {
      const [level] = readRoster(withPattern(type))?.levels ?? [];
      return level && teamGraph(level, viewOf([])).nodes;
    };
    expect(nodesOf('hierarchical')).toEqual(['lead', 'a', 'b']);
    expect(nodesOf('parallel')).toEqual(['a', 'b', 'lead']);
  });
});

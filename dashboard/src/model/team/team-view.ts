// What a team has done so far: who works on what, who handed to whom and why, who has arrived where, and how they voted.

import type { LogEvent } from '@/wire/LogEvent';
import type { CheckKind } from '@/wire/log/CheckKind';
import type { GuardrailAction } from '@/wire/log/GuardrailAction';
import type { GuardrailEvent } from '@/wire/log/GuardrailEvent';
import type { HandoffKind } from '@/wire/log/HandoffKind';
import type { RunEvent } from '@/wire/log/RunEvent';
import type { Severity } from '@/wire/log/Severity';
import type { TeamEvent } from '@/wire/log/TeamEvent';
import { AgentActivity, type AgentState } from './agent-activity';

type Moment = { seq: number; at: string };

export type Handoff = Moment & {
  from: string;
  to: string;
  reason: string;
  /** As JSON; empty when nothing was handed over with it. */
  context: string;
  kind: HandoffKind;
};

/** A task for another agent, and its way back. */
export type Delegation = Moment & {
  from: string;
  to: string;
  task: string;
  returned: Moment | null;
};

export type Arrival = Moment & { agent: string; point: string };

/** Agents that began at the same time. */
export type Fork = Moment & {
  agents: string[];
  coordinator: string | null;
  points: string[];
  arrivals: Arrival[];
};

export type Vote = Moment & { by: string; vote: string; reason: string };

export type Proposal = Moment & {
  id: string;
  by: string;
  decision: string;
  stakeholders: string[];
  votes: Vote[];
  /** Only a rejected proposal is made anew. */
  isReplaced: boolean;
  result: (Moment & { decision: string; votes: { [agent: string]: string | undefined } }) | null;
};

/** A policy that was not kept, and what was done about it. */
export type Violation = Moment & {
  agent: string;
  policy: string;
  check: CheckKind;
  severity: Severity;
  action: GuardrailAction;
  /** What happened, in a line. */
  summary: string;
  /** Of the text; empty when the log has none. */
  sample: string;
};

export type Standing = Pick<AgentActivity, 'state' | 'turns'>;

const RETURNED = 'returned';
/** What is shown of several agents together, the first that holds. */
const STATES: readonly AgentState[] = ['waiting', 'working', 'failed', 'done'];

export class TeamView {
  readonly handoffs: Handoff[] = [];
  readonly delegations: Delegation[] = [];
  readonly forks: Fork[] = [];
  readonly proposals: Proposal[] = [];
  readonly violations: Violation[] = [];
  readonly agents = new Map<string, AgentActivity>();
  private readonly open = new Map<string, Delegation>();

  add(event: LogEvent): void {
    const { kind } = event;
    if ('team' in kind) this.addTeam(event, kind.team);
    else if ('agent' in kind) this.of(event.agent).add(event, kind.agent);
    else if ('guardrail' in kind) this.addViolation(event, kind.guardrail);
    else if ('human' in kind && 'requested' in kind.human)
      this.of(kind.human.requested.by).asks(kind.human.requested);
    else if ('human' in kind && 'replied' in kind.human) {
      for (const agent of this.agents.values()) agent.hears(kind.human.replied.request);
    } else if ('run' in kind && event.session == null && isStop(kind.run)) {
      for (const agent of this.agents.values()) agent.stops();
    }
  }

  /** What an agent does; a team in the place of an agent does what its agents do. */
  standing(name: string): Standing {
    const own = this.agents.get(name);
    if (own) return own;
    const inner = [...this.agents.values()].filter((one) => one.name.startsWith(`${name}/`));
    const state = STATES.find((one) => inner.some((agent) => agent.state === one)) ?? 'idle';
    return { state, turns: inner.length > 0 ? 1 : 0 };
  }

  private of(name: string): AgentActivity {
    const known = this.agents.get(name);
    if (known) return known;
    const fresh = new AgentActivity(name);
    this.agents.set(name, fresh);
    return fresh;
  }

  private addViolation(event: LogEvent, fact: GuardrailEvent): void {
    if (!('violated' in fact)) return;
    const { policy, check, severity, action, sample } = fact.violated;
    const { seq, at, agent, summary } = event;
    const known = { policy, check, severity, action, sample: sample ?? '' };
    this.violations.push({ seq, at, agent, summary, ...known });
  }

  private addTeam(event: LogEvent, fact: TeamEvent): void {
    const moment = { seq: event.seq, at: event.at };
    if ('handed_off' in fact) this.addHandoff(event, fact.handed_off);
    else if ('forked' in fact) {
      const { agents, coordinator, sync_points: points } = fact.forked;
      this.forks.push({ ...moment, agents, coordinator, points, arrivals: [] });
    } else if ('joined' in fact) {
      const { sync_point: point } = fact.joined;
      this.forks.at(-1)?.arrivals.push({ ...moment, agent: event.agent, point });
    } else if ('proposed' in fact) {
      const { proposal: id, by, decision, stakeholders } = fact.proposed;
      const last = this.proposals.at(-1);
      if (last?.result === null && last.by === by) last.isReplaced = true;
      const open = { votes: [], isReplaced: false, result: null };
      this.proposals.push({ ...moment, id, by, decision, stakeholders, ...open });
    } else if ('voted' in fact) {
      const { proposal, by, vote, reasoning: reason } = fact.voted;
      this.proposal(proposal)?.votes.push({ ...moment, by, vote, reason });
    } else {
      const { proposal, decision, votes } = fact.agreed;
      const known = this.proposal(proposal);
      if (known) known.result = { ...moment, decision, votes };
    }
  }

  private proposal(id: string): Proposal | undefined {
    return this.proposals.findLast((one) => one.id === id);
  }

  private addHandoff(
    event: LogEvent,
    fact: Extract<TeamEvent, { handed_off: unknown }>['handed_off'],
  ): void {
    const { from, to, reason, context, kind } = fact;
    const moment = { seq: event.seq, at: event.at };
    if (kind !== 'hierarchical') {
      const isEmpty = context === undefined || Object.keys(context).length === 0;
      const words = isEmpty ? '' : JSON.stringify(context, null, 2);
      this.handoffs.push({ ...moment, from, to, reason, context: words, kind });
      return;
    }
    // There and back are in the conversation of the one who works on the task.
    const way = (there: string, back: string) => `${event.session ?? ''} ${there} ${back}`;
    const known = reason === RETURNED ? this.open.get(way(to, from)) : undefined;
    if (known) {
      known.returned = moment;
      this.open.delete(way(to, from));
      return;
    }
    const delegation = { ...moment, from, to, task: reason, returned: null };
    this.delegations.push(delegation);
    this.open.set(way(from, to), delegation);
  }
}

function isStop(run: RunEvent): boolean {
  if (typeof run === 'string') return false;
  return 'paused' in run || 'completed' in run || 'failed' in run || 'cancelled' in run;
}

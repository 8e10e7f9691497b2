// A run told as visits of its stages, each with what its agents thought, said and did. Grows with the log, never rebuilt.
// Texts are not copied: an item points at the events it shows.

import { hasFailed } from '@/model/event/tool-result';
import { noSpend, plus, spendOf } from '@/model/run/run-view';
import type { LogEvent } from '@/wire/LogEvent';
import type { HumanRequest } from '@/wire/log/HumanRequest';
import type { Message } from '@/wire/log/Message';
import type { RunEvent } from '@/wire/log/RunEvent';
import type { Spend } from '@/wire/log/Spend';
import type { TaskRef } from '@/wire/log/TaskRef';
import type { ToolCall } from '@/wire/log/ToolCall';
import type { ToolResult } from '@/wire/log/ToolResult';
import type { Usage } from '@/wire/log/Usage';
import { SubSessions } from './sub-sessions';

type ItemBase = {
  seq: number;
  at: string;
  agent: string;
  /** The conversation of an agent; a sub-agent has one of its own. */
  session: string | null;
};

export type Item =
  /** What an agent received: its task, or a person's words. */
  | (ItemBase & { kind: 'prompt'; message: Message })
  | (ItemBase & { kind: 'thinking'; text: string })
  | (ItemBase & { kind: 'text'; message: Message; usage: Usage | null })
  | (ItemBase & { kind: 'call'; call: ToolCall; result: ToolResult | null; endSeq: number | null })
  /** Everything else that happened: checks, reviews, questions, commits, warnings. */
  | (ItemBase & {
      kind: 'note';
      event: LogEvent;
      /** What an answer answers. */
      asked: HumanRequest | null;
    });

export type CallItem = Extract<Item, { kind: 'call' }>;

/** One visit of a node. */
export type Visit = {
  kind: 'visit';
  step: number;
  node: string;
  /** The how-manieth visit of this node, from 1. */
  visit: number;
  fromSeq: number;
  toSeq: number | null;
  startedAt: string;
  endedAt: string | null;
  durationMs: number | null;
  task: TaskRef | null;
  agents: string[];
  items: Item[];
  spend: Spend;
  errors: number;
};

/** Something that happened to the run itself, between its stages. */
export type OutsideItem = { kind: 'outside'; item: Item };

export type Section = Visit | OutsideItem;

/** What a scripted model said of itself in logs that do not name the notice. */
const SCRIPTED = /\bscripted model\b/;

export class Transcript {
  readonly sections: Section[] = [];
  readonly visits = new Map<number, Visit>();
  readonly subSessions = new SubSessions();
  private readonly counts = new Map<string, number>();
  private readonly calls = new Map<string, CallItem>();
  /** A turn's usage is written before the turn itself. */
  private readonly usages = new Map<string, Usage>();
  /** What each has thought since the last turn. */
  private readonly thoughts = new Map<string, string>();
  private readonly questions = new Map<string, HumanRequest>();
  /** How long the run had been at work when each visit began. */
  private readonly workBefore = new Map<number, number>();
  /** How long it had been at work when it was last resumed, after a question or a pause. */
  private workBeforeResume = 0;
  private task: TaskRef | null = null;
  private isScripted = false;

  /** `workMs` is how long the run has been at work by then. */
  add(event: LogEvent, workMs = 0): void {
    const kind = event.kind;
    if (event.session != null) this.subSessions.add(event, event.session);
    if ('node' in kind && event.session == null) {
      if ('entered' in kind.node) {
        const { node, step } = kind.node.entered;
        this.enter(event, node, step);
        this.workBefore.set(step, workMs);
      } else {
        const { step, duration_ms } = kind.node.left;
        // The log counts only from when it was last resumed.
        const earlier = this.workBeforeResume - (this.workBefore.get(step) ?? workMs);
        this.leave(event, step, duration_ms + Math.max(0, earlier));
      }
      return;
    }
    if ('run' in kind && event.session == null && isResumed(kind.run))
      this.workBeforeResume = workMs;
    if ('agent' in kind) {
      this.addAgent(event, kind.agent);
      return;
    }
    if (this.isKnownNotice(event)) return;
    if ('task' in kind && 'started' in kind.task) this.startTask(event, kind.task.started);
    // Stages that come after the last task are of no task.
    if ('task' in kind && 'completed' in kind.task) this.task = null;
    // What a sub-agent receives and says is shown as its own words; its life is in the list of events.
    if ('run' in kind && event.session != null && !isFailure(kind.run)) return;
    this.put(event, { ...itemBase(event), kind: 'note', event, asked: this.askedBy(event) });
  }

  callOf(event: LogEvent, id: string): CallItem | undefined {
    return this.calls.get(`${event.session ?? ''} ${event.step ?? ''} ${id}`);
  }

  /** Every agent is warned that its model is scripted; that is said once per run. */
  private isKnownNotice({ kind }: LogEvent): boolean {
    if (!('system' in kind) || !('warned' in kind.system)) return false;
    const { message, details } = kind.system.warned;
    const isOld = details?.notice === undefined && SCRIPTED.test(message);
    if (details?.notice !== 'scripted_model' && !isOld) return false;
    const isKnown = this.isScripted;
    this.isScripted = true;
    return isKnown;
  }

  private askedBy({ kind }: LogEvent): HumanRequest | null {
    if (!('human' in kind)) return null;
    if ('requested' in kind.human)
      this.questions.set(kind.human.requested.id, kind.human.requested);
    return 'replied' in kind.human
      ? (this.questions.get(kind.human.replied.request) ?? null)
      : null;
  }

  private addAgent(
    event: LogEvent,
    fact: Extract<LogEvent['kind'], { agent: unknown }>['agent'],
  ): void {
    if ('thought' in fact) {
      this.thoughts.set(event.session ?? event.agent, fact.thought.text);
      this.put(event, { ...itemBase(event), kind: 'thinking', text: fact.thought.text });
    } else if ('called' in fact) {
      const item: CallItem = {
        ...itemBase(event),
        kind: 'call',
        call: fact.called,
        result: null,
        endSeq: null,
      };
      this.subSessions.called(event.step ?? -1, item, this.callOf(event, fact.called.id));
      this.calls.set(`${event.session ?? ''} ${event.step ?? ''} ${fact.called.id}`, item);
      this.put(event, item);
    } else if ('returned' in fact) {
      this.end(event, fact.returned);
    } else if ('said' in fact) {
      this.addTurn(event, fact.said);
    } else if ('used' in fact) {
      this.usages.set(event.session ?? event.agent, fact.used);
      const visit = this.visits.get(event.step ?? -1);
      if (visit) visit.spend = plus(visit.spend, spendOf(fact.used));
    } else if ('finished' in fact && fact.finished.is_error) {
      this.put(event, { ...itemBase(event), kind: 'note', event, asked: null });
    }
  }

  private addTurn(event: LogEvent, message: Message): void {
    if (message.role !== 'assistant') {
      this.put(event, { ...itemBase(event), kind: 'prompt', message });
      return;
    }
    const speaker = event.session ?? event.agent;
    for (const part of message.parts) {
      // A thought that was noted while it came is part of the turn, too.
      if ('thinking' in part && part.thinking.text !== this.thoughts.get(speaker))
        this.put(event, { ...itemBase(event), kind: 'thinking', text: part.thinking.text });
    }
    this.thoughts.delete(speaker);
    const usage = this.usages.get(speaker) ?? null;
    this.usages.delete(speaker);
    this.put(event, { ...itemBase(event), kind: 'text', message, usage });
  }

  private end(event: LogEvent, result: ToolResult): void {
    const item = this.callOf(event, result.call);
    if (!item) return;
    item.result = result;
    item.endSeq = event.seq;
    this.subSessions.returned(event.step ?? -1, item);
    const visit = this.visits.get(event.step ?? -1);
    if (visit && hasFailed(result)) visit.errors += 1;
  }

  private enter(event: LogEvent, node: string, step: number): void {
    const visit = (this.counts.get(node) ?? 0) + 1;
    this.counts.set(node, visit);
    const entered: Visit = {
      kind: 'visit',
      step,
      node,
      visit,
      fromSeq: event.seq,
      toSeq: null,
      startedAt: event.at,
      endedAt: null,
      durationMs: null,
      task: this.task,
      agents: [],
      items: [],
      spend: noSpend(),
      errors: 0,
    };
    this.visits.set(step, entered);
    this.sections.push(entered);
  }

  private leave(event: LogEvent, step: number, durationMs: number): void {
    const visit = this.visits.get(step);
    if (!visit) return;
    this.subSessions.left(step);
    visit.toSeq = event.seq;
    visit.endedAt = event.at;
    visit.durationMs = durationMs;
  }

  private startTask(event: LogEvent, task: TaskRef): void {
    this.task = task;
    const visit = this.visits.get(event.step ?? -1);
    if (visit) visit.task = task;
  }

  /** What happens to the run while a stage is at work belongs where it happened: between the rows of that stage. */
  private visitUnderWay(): Visit | undefined {
    const last = this.sections.at(-1);
    return last?.kind === 'visit' && last.toSeq === null ? last : undefined;
  }

  private put(event: LogEvent, item: Item): void {
    const visit = this.visits.get(event.step ?? -1) ?? this.visitUnderWay();
    if (!visit) {
      this.sections.push({ kind: 'outside', item });
      return;
    }
    visit.items.push(item);
    if (item.kind !== 'note' && !visit.agents.includes(item.agent)) visit.agents.push(item.agent);
  }
}

function itemBase(event: LogEvent): ItemBase {
  return { seq: event.seq, at: event.at, agent: event.agent, session: event.session ?? null };
}

const isResumed = (run: RunEvent) => typeof run === 'object' && 'resumed' in run;

const isFailure = (run: RunEvent) => typeof run === 'object' && 'failed' in run;

// What a run has come to, read from its log: commits, checks, reviews, questions, money. Grows with the log.

import { isVersion } from '@/model/artifacts/versions';
import { answerLabel } from '@/model/event/answer-label';
import { addWait, type Wait } from '@/model/event/waits';
import type { LogEvent } from '@/wire/LogEvent';
import type { CheckResult } from '@/wire/log/CheckResult';
import type { Effect } from '@/wire/log/Effect';
import type { Evaluation } from '@/wire/log/Evaluation';
import type { HumanReply } from '@/wire/log/HumanReply';
import type { HumanRequest } from '@/wire/log/HumanRequest';
import type { Review } from '@/wire/log/Review';
import type { TaskRef } from '@/wire/log/TaskRef';
import type { Usage } from '@/wire/log/Usage';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

type EventPosition = { seq: number; at: string; step: number | null };

export type CommitFact = EventPosition & { task: TaskRef; commit: string; message: string };
export type ChecksFact = EventPosition & { task: TaskRef; checks: CheckResult[] };
export type ReviewFact = EventPosition & { round: number; task: TaskRef | null; review: Review };
export type EvaluationFact = EventPosition & {
  round: number;
  task: TaskRef | null;
  evaluation: Evaluation;
};
export type QuestionFact = EventPosition & {
  request: HumanRequest;
  reply: (HumanReply & { seq: number }) | null;
};
export type UsageFact = EventPosition & { agent: string; usage: Usage };
export type EffectFact = EventPosition & {
  effect: Effect;
  receipt: JsonValue | null;
  doubt: string | null;
};

/** A moment worth a mark on the time line. */
export type Mark = { seq: number; at: string; kind: MarkKind; label: string };
export type MarkKind =
  | 'commit'
  | 'asked'
  | 'approved'
  | 'rejected'
  | 'said'
  | 'failed'
  | 'resumed'
  | 'ended';

export class Facts {
  readonly commits: CommitFact[] = [];
  readonly checks: ChecksFact[] = [];
  readonly reviews: ReviewFact[] = [];
  readonly evaluations: EvaluationFact[] = [];
  readonly questions: QuestionFact[] = [];
  readonly usages: UsageFact[] = [];
  readonly effects: EffectFact[] = [];
  readonly marks: Mark[] = [];
  /** Versions of artifacts that were written. */
  artifactVersions = 0;
  readonly waits: Wait[] = [];

  add(event: LogEvent): void {
    const kind = event.kind;
    const at: EventPosition = { seq: event.seq, at: event.at, step: event.step ?? null };
    if (isVersion(event)) this.artifactVersions += 1;
    if ('agent' in kind) {
      if ('used' in kind.agent)
        this.usages.push({ ...at, agent: event.agent, usage: kind.agent.used });
    } else if ('task' in kind) this.addTask(at, kind.task);
    else if ('review' in kind) this.addReview(at, kind.review);
    else if ('human' in kind) this.addHuman(at, kind.human);
    else if ('effect' in kind) this.addEffect(at, kind.effect);
    else if ('run' in kind && event.session == null) {
      this.addRun(at, kind.run);
      addWait(this.waits, event);
    }
  }

  private mark(at: EventPosition, kind: MarkKind, label: string): void {
    this.marks.push({ seq: at.seq, at: at.at, kind, label });
  }

  private addTask(
    at: EventPosition,
    event: Extract<LogEvent['kind'], { task: unknown }>['task'],
  ): void {
    if ('checked' in event) this.checks.push({ ...at, ...event.checked });
    else if ('committed' in event) {
      this.commits.push({ ...at, ...event.committed });
      this.mark(at, 'commit', `Commit: ${event.committed.message.split('\n')[0] ?? ''}`);
    }
  }

  private addReview(
    at: EventPosition,
    event: Extract<LogEvent['kind'], { review: unknown }>['review'],
  ): void {
    if ('completed' in event) {
      const { round, review, task } = event.completed;
      this.reviews.push({ ...at, round, review, task: task ?? null });
    } else if ('evaluated' in event) {
      const { round, evaluation, task } = event.evaluated;
      this.evaluations.push({ ...at, round, evaluation, task: task ?? null });
    } else if ('revision_requested' in event) {
      const { round, evaluation, task } = event.revision_requested;
      this.evaluations.push({ ...at, round, evaluation, task: task ?? null });
    }
  }

  private addHuman(
    at: EventPosition,
    event: Extract<LogEvent['kind'], { human: unknown }>['human'],
  ): void {
    if ('requested' in event) {
      this.questions.push({ ...at, request: event.requested, reply: null });
      this.mark(at, 'asked', `Asked: ${event.requested.prompt}`);
    } else if ('replied' in event) {
      const reply = event.replied;
      const question = this.questions.find(({ request }) => request.id === reply.request);
      if (question) question.reply = { ...reply, seq: at.seq };
      const isYes = reply.action === 'approve' || reply.action === 'modify';
      const words = question ? answerLabel(reply, question.request) : 'Answered';
      this.mark(at, isYes ? 'approved' : 'rejected', words);
    } else this.mark(at, 'said', 'A user intervened');
  }

  private addEffect(
    at: EventPosition,
    event: Extract<LogEvent['kind'], { effect: unknown }>['effect'],
  ): void {
    if ('intended' in event) {
      this.effects.push({ ...at, effect: event.intended, receipt: null, doubt: null });
      return;
    }
    const id = 'done' in event ? event.done.effect : event.doubted.effect;
    const known = this.effects.find(({ effect }) => effect.id === id);
    if (!known) return;
    if ('done' in event) known.receipt = event.done.receipt;
    else known.doubt = event.doubted.why;
  }

  private addRun(
    at: EventPosition,
    event: Extract<LogEvent['kind'], { run: unknown }>['run'],
  ): void {
    if (typeof event === 'string') return;
    if ('failed' in event) this.mark(at, 'failed', `Failed: ${event.failed.failure.message}`);
    else if ('resumed' in event && event.resumed.reason === 'recovered') {
      this.mark(at, 'resumed', 'Resumed after an interruption');
    } else if ('completed' in event) this.mark(at, 'ended', 'Completed');
    else if ('cancelled' in event) this.mark(at, 'ended', 'Cancelled');
  }
}

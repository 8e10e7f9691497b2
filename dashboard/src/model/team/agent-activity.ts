// What one agent of a team does, and how much it has done.

import { brief, oneLine, textOf } from '@/model/event/words';
import { noSpend, plus, spendOf } from '@/model/run/run-view';
import type { LogEvent } from '@/wire/LogEvent';
import type { AgentEvent } from '@/wire/log/AgentEvent';
import type { HumanRequest } from '@/wire/log/HumanRequest';

export type AgentState = 'idle' | 'working' | 'waiting' | 'done' | 'failed';

export class AgentActivity {
  readonly name: string;
  state: AgentState = 'idle';
  turns = 0;
  calls = 0;
  spend = noSpend();
  /** What it did or said last, in one line. */
  last = '';
  lastSeq = 0;
  private readonly asked = new Set<string>();
  private isInTurn = false;

  constructor(name: string) {
    this.name = name;
  }

  add(event: LogEvent, fact: AgentEvent): void {
    if ('used' in fact) {
      this.spend = plus(this.spend, spendOf(fact.used));
      return;
    }
    if ('finished' in fact) {
      this.state = fact.finished.is_error ? 'failed' : 'done';
      this.isInTurn = false;
      return;
    }
    // A sub-agent gets its task, and not said to start.
    if (!this.isInTurn) this.turns += 1;
    this.isInTurn = true;
    this.state = this.asked.size > 0 ? 'waiting' : 'working';
    const words = this.wordsOf(fact);
    if (words === '') return;
    this.last = words;
    this.lastSeq = event.seq;
  }

  private wordsOf(fact: AgentEvent): string {
    if ('called' in fact) {
      this.calls += 1;
      return brief(fact.called);
    }
    if ('said' in fact && fact.said.role === 'assistant') return oneLine(textOf(fact.said));
    return '';
  }

  asks({ id, prompt }: HumanRequest): void {
    this.asked.add(id);
    this.state = 'waiting';
    this.last = oneLine(prompt);
  }

  hears(request: string): void {
    if (this.asked.delete(request) && this.state === 'waiting' && this.asked.size === 0)
      this.state = 'working';
  }

  /** The run has stopped: what was at work is not, until it is heard of again. */
  stops(): void {
    if (this.state === 'working') this.state = 'idle';
  }
}

// How much an event matters: the same judgement as the server's.

import type { Event } from '@/wire/log/Event';

export type Level = 'debug' | 'info' | 'warning' | 'error';

export const LEVELS: Level[] = ['debug', 'info', 'warning', 'error'];

export function levelOf(event: Event): Level {
  const kind = event.kind;
  if ('run' in kind) return ofRun(kind.run);
  if ('plan' in kind) return 'refused' in kind.plan ? 'warning' : 'info';
  if ('task' in kind) {
    if ('failed' in kind.task) return 'error';
    const isBad = 'checked' in kind.task && kind.task.checked.checks.some((check) => !check.passed);
    return isBad ? 'warning' : 'info';
  }
  if ('agent' in kind) {
    if ('finished' in kind.agent) return kind.agent.finished.is_error ? 'error' : 'info';
    return 'said' in kind.agent ? 'info' : 'debug';
  }
  if ('memory' in kind) return 'consolidated' in kind.memory ? 'info' : 'debug';
  if ('guardrail' in kind) return 'violated' in kind.guardrail ? 'warning' : 'info';
  if ('ingest' in kind) return 'debug';
  if ('system' in kind) {
    if ('failed' in kind.system) return 'error';
    if ('warned' in kind.system) return 'warning';
    return 'recovered' in kind.system ? 'info' : 'debug';
  }
  return 'effect' in kind && 'doubted' in kind.effect ? 'warning' : 'info';
}

function ofRun(event: Extract<Event['kind'], { run: unknown }>['run']): Level {
  if (typeof event === 'string') return 'info';
  if ('failed' in event) return 'error';
  return 'cancelled' in event ? 'warning' : 'info';
}

// What a question is about, where that says more than its kind. The first two have the same words as `HumanRequest::topic`
// in `amelia-core/src/human.rs`; the others are questions about how a team continues.

import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { isObject, stringIn } from './json';

const TOPICS = new Map([
  ['failing_checks', 'Checks fail'],
  ['missing_program', 'A check cannot run'],
  ['max_steps', 'Step limit'],
  ['ping_pong', 'Agents repeat themselves'],
  ['success_criteria', 'Not done yet'],
  ['tie', 'Undecided vote'],
  ['turn_end', 'A turn did not end'],
]);

const OF_TEAMS: ReadonlySet<string> = new Set(['ping_pong', 'success_criteria', 'turn_end']);

const asksIn = (context: JsonValue | undefined) =>
  isObject(context) ? stringIn(context.asks) : null;

/** `null`: its kind says it. */
export function topicOf(context: JsonValue | undefined): string | null {
  const asks = asksIn(context);
  return asks === null ? null : (TOPICS.get(asks) ?? null);
}

/** Whether a team asks how to continue. */
export const isOfTeam = (context: JsonValue | undefined): boolean =>
  OF_TEAMS.has(asksIn(context) ?? '');

// What a question is about, where that says more than its kind. The same words as `HumanRequest::topic` in
// `amelia-core/src/human.rs`.

import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { isObject, stringIn } from './json';

const TOPICS = new Map([
  ['failing_checks', 'Checks fail'],
  ['missing_program', 'A check cannot run'],
]);

/** `null`: its kind says it. */
export function topicOf(context: JsonValue | undefined): string | null {
  const asks = isObject(context) ? stringIn(context.asks) : null;
  return asks === null ? null : (TOPICS.get(asks) ?? null);
}

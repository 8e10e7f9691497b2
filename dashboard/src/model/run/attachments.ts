// The files that were attached to a run's issue, as they stand in its state.

import { isObject, stringIn } from '@/model/inbox/json';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type RunAttachment = {
  name: string;
  /** In the worktree. */
  path: string;
  bytes: number;
};

/** Where the server writes them. */
const DIRECTORY = '.amelia/attachments';

export function attachmentsOf(state: JsonValue | undefined): RunAttachment[] {
  const wanted = isObject(state) && isObject(state.wanted) ? state.wanted : {};
  const given = Array.isArray(wanted.attachments) ? wanted.attachments : [];
  return given.filter(isObject).flatMap(({ name, size }) => {
    const known = stringIn(name);
    if (known === null) return [];
    return {
      name: known,
      path: `${DIRECTORY}/${known}`,
      bytes: typeof size === 'number' ? size : 0,
    };
  });
}

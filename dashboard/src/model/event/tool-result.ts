// How a call ended. Knows the words of `ToolResult` in `amelia-core/src/tool_call.rs`.

import type { ToolResult } from '@/wire/log/ToolResult';

const INTERRUPTED = 'interrupted, outcome unknown, check before repeating';

/** Whether the server died while the call was under way: what it did is not known. */
export const isInterrupted = ({ error }: ToolResult): boolean => error === INTERRUPTED;

/** Whether the call itself has failed. */
export const hasFailed = (result: ToolResult): boolean =>
  result.error != null && !isInterrupted(result);

/** How a call ended that did not do what it was asked. */
export function errorWord(result: ToolResult): string {
  if (isInterrupted(result)) return 'interrupted';
  if (result.exit_code != null && result.exit_code !== 0) return `exit ${result.exit_code}`;
  return 'failed';
}

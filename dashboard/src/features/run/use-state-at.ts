import { useCheckpoint, useCheckpoints, useRun } from '@/api/runs';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type StateAt = {
  /** `undefined` while it is on its way, `null` when there was none yet. */
  state: JsonValue | undefined;
  error: Error | null;
  retry: () => void;
};

/** The state of the run: now, or as of its last checkpoint up to `at`. */
export function useStateAt(id: string, at: number | null): StateAt {
  const run = useRun(id);
  const checkpoints = useCheckpoints(id);
  const number =
    at === null ? null : (checkpoints.data?.findLast((one) => one.sequence <= at)?.number ?? null);
  const checkpoint = useCheckpoint(id, number);
  const retry = () => {
    void run.refetch();
    if (at === null) return;
    void checkpoints.refetch();
    if (number !== null) void checkpoint.refetch();
  };
  if (at === null) return { state: run.data?.state, error: run.error, retry };
  const error = checkpoints.error ?? checkpoint.error;
  if (checkpoints.data && number === null) return { state: null, error: null, retry };
  return { state: checkpoint.data?.state, error, retry };
}

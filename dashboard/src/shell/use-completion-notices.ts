import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { resultOf, useRuns } from '@/api/runs';
import { formatMoney } from '@/lib/format';
import { notify } from '@/lib/notify';
import { completions } from '@/model/board/completions';
import { resultFacts, resultTitle } from '@/model/run/result';
import type { RunSummary } from '@/wire/RunSummary';
import type { Status } from '@/wire/Status';

/** On every page: a desktop notification with the result of a run that was completed meanwhile. */
export function useCompletionNotices(): void {
  const { data } = useRuns({});
  const navigate = useNavigate();
  const known = useRef(new Map<string, Status>());

  useEffect(() => {
    const runs = data?.pages.flatMap((page) => page.items) ?? [];
    const done = completions(known.current, runs);
    for (const { id, status } of runs) known.current.set(id, status);
    for (const run of done) {
      void bodyOf(run).then((body) =>
        notify({
          title: `Completed: ${run.title}`,
          body,
          tag: run.id,
          onClick: () => void navigate(`/runs/${run.id}`),
        }),
      );
    }
  }, [data, navigate]);
}

/** The result in a line; without one, the notification has only its title. */
async function bodyOf({ id }: RunSummary): Promise<string> {
  const outcome = await resultOf(id);
  if (outcome === null) return '';
  return [resultTitle(outcome), ...resultFacts(outcome, formatMoney)].filter(Boolean).join(' · ');
}

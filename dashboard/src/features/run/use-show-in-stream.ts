import { useLocation, useNavigate, useSearchParams } from 'react-router';
import type { RunLog } from '@/model/run/run-log';

/** Leads to the last visit of a stage where the stream is a tab of its own. */
export function useShowInStream(log: RunLog, at: number | null): (node: string) => void {
  const [search] = useSearchParams();
  const { pathname, key } = useLocation();
  const navigate = useNavigate();
  return (node) => {
    const visit = log.transcript.sections.findLast(
      (section) =>
        section.kind === 'visit' &&
        section.node === node &&
        section.fromSeq <= (at ?? Number.POSITIVE_INFINITY),
    );
    if (visit?.kind !== 'visit') return;
    const next = new URLSearchParams(search);
    next.delete('tab');
    next.set('seq', String(visit.fromSeq));
    // Changes with every step, so that the same stage leads there twice.
    const state = { followed: `${key} ${visit.fromSeq}` };
    void navigate(`${pathname}?${next}`, { state, preventScrollReset: true });
  };
}

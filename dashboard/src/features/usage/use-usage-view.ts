import { useSearchParams } from 'react-router';
import { useNow } from '@/lib/use-now';
import { rangeOf, spanOf } from '@/model/usage/usage-range';
import { type Group, groups, type Measure, measures } from '@/model/usage/usage-series';

/** What is looked at: all of it is in the address. */
export function useUsageAddress() {
  const [params, setParams] = useSearchParams();
  const now = useNow(60_000);
  const range = rangeOf(params);
  const wanted = measures.find((one) => one === params.get('show'));
  const group: Group = groups.find((one) => one === params.get('by')) ?? 'model';
  const view: 'chart' | 'table' = params.get('view') === 'table' ? 'table' : 'chart';
  const set = (patch: Record<string, string | null>) =>
    setParams(
      (before) => {
        for (const [name, value] of Object.entries(patch)) {
          if (value === null || value === '') before.delete(name);
          else before.set(name, value);
        }
        return before;
      },
      { replace: true },
    );
  return { ...spanOf(range, now), range, wanted, group, view, set };
}

export type UsageView = ReturnType<typeof useUsageAddress> & { measure: Measure };

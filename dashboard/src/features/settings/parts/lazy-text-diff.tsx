import { type ComponentProps, lazy, Suspense } from 'react';
import type TextDiffView from '@/features/settings/parts/text-diff-view';
import { Skeleton } from '@/ui/skeleton';

const View = lazy(() => import('@/features/settings/parts/text-diff-view'));

/** The diff, loaded when it is first needed. */
export function LazyTextDiff(props: ComponentProps<typeof TextDiffView>) {
  return (
    <Suspense fallback={<Skeleton className="h-40" />}>
      <View {...props} />
    </Suspense>
  );
}

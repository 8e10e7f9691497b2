import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { useMedia } from '@/lib/use-media';
import { cli } from '@/model/cli/cli';
import type { Comment } from '@/model/comments/comments';
import { CliCommand } from '@/ui/cli-command';
import { Collapsible } from '@/ui/collapsible';
import type { RunDetail } from '@/wire/RunDetail';
import { type ReviewKey, useReview } from '../comments/store';
import { DeliveryButtons } from '../delivery/delivery-buttons';
import { isDeliverable } from '../delivery/use-merged-by-hand';
import { RunPageHeader } from '../run-page-header';
import { useSearch } from '../use-search';
import { ChangeBody } from './change-body';
import { DiffComments } from './diff-comments';
import { DiffToolbar } from './diff-toolbar';
import { FileList, matches } from './file-list';
import { findCard, reveal, revealLine } from './reveal';
import { useArrival } from './use-arrival';
import { useChange } from './use-diff';
import { useDiffKeys } from './use-diff-keys';
import { useDiffView } from './use-diff-view';

/** A change on a page of its own, to be read and commented. */
export function DiffScreen({ run }: { run: RunDetail }) {
  const { id } = run;
  const [search, setSearch] = useSearch();
  const task = search.get('task');
  const view = useDiffView();
  const root = useRef<HTMLDivElement>(null);
  const [filter, setFilter] = useState('');
  const wanted = useDeferredValue(filter);
  const change = useChange(id, task, null);
  const { diff, files, edits, tasks } = change;
  const review: ReviewKey = `diff.${id}`;
  const counts = useCounts(review);
  const listed = useMemo(() => files.filter((file) => matches(file, wanted)), [files, wanted]);
  useDiffKeys(root, view);
  // A header has no room for them there.
  const isNarrow = !useMedia('(min-width: 768px)');

  const goTo = (path: string, line: string | null = null) => {
    view.open(path, true);
    requestAnimationFrame(() => {
      const card = findCard(root.current, path);
      if (!card) return;
      reveal(card);
      if (line) revealLine(card, line);
    });
  };
  const toComment = ({ place }: Comment) =>
    place.kind === 'diff' && goTo(place.path, `${place.side}-${place.line}`);
  const line = search.get('line');
  useArrival(search.get('file'), files.length > 0, (path) => goTo(path, line && `new-${line}`));

  const list = (
    <FileList files={files} filter={filter} onFilter={setFilter} comments={counts} onGo={goTo} />
  );
  return (
    <>
      <RunPageHeader
        id={id}
        what="Changes"
        run={run}
        actions={
          <>
            <CliCommand command={cli.diff(run.short_id)} />
            {!isNarrow && <DeliveryButtons detail={run} />}
            <DiffComments
              run={run}
              branch={diff.data?.branch ?? run.branch}
              review={review}
              onGo={toComment}
            />
          </>
        }
      />
      {isNarrow && isDeliverable(run) && (
        <div className="flex gap-2 border-b border-line px-3 py-2 empty:hidden">
          <DeliveryButtons detail={run} />
        </div>
      )}
      <div ref={root} className="[--diff-top:3.0625rem] max-md:[--diff-top:0px]">
        {(files.length > 0 || task !== null) && (
          <div className="z-20 border-b border-line bg-canvas px-3 py-2 md:sticky md:top-0 md:px-5">
            <DiffToolbar
              files={files}
              edits={edits}
              view={view}
              tasks={tasks}
              task={task}
              onTask={(next) => setSearch({ task: next ?? '' })}
            />
          </div>
        )}
        <div className="flex items-start gap-5 px-3 py-4 md:px-5">
          {files.length > 0 && (
            <div className="sticky top-16 flex max-h-[calc(100dvh-8rem)] w-64 shrink-0 flex-col max-lg:hidden">
              {list}
            </div>
          )}
          <div className="flex min-w-0 flex-1 flex-col gap-3">
            {files.length > 0 && (
              <Collapsible title="Files" className="lg:hidden">
                {list}
              </Collapsible>
            )}
            <ChangeBody
              run={id}
              change={change}
              view={view}
              listed={listed}
              review={review}
              isPart={task !== null}
              size="page"
            />
          </div>
        </div>
      </div>
    </>
  );
}

function useCounts(review: ReviewKey): ReadonlyMap<string, number> {
  const { comments } = useReview(review);
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const { place } of comments)
      if (place.kind === 'diff') counts.set(place.path, (counts.get(place.path) ?? 0) + 1);
    return counts;
  }, [comments]);
}

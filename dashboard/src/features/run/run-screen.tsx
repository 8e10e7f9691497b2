import { useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { useBreakpoints } from '@/api/actions';
import { useRunLog } from '@/api/run-log';
import { useCheckpoints, useGraph } from '@/api/runs';
import { useMedia } from '@/lib/use-media';
import { countsAt } from '@/model/run/counts-at';
import { checkpointAt } from '@/model/run/marks';
import { edgesTaken, readPipeline } from '@/model/run/pipeline';
import { canOf, standingOf, viewOf } from '@/model/run/standing';
import { SplitPane } from '@/ui/split-pane';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import type { Intervention } from '@/wire/log/Intervention';
import type { RunDetail } from '@/wire/RunDetail';
import { GraphPane } from './graph/graph-pane';
import { StageList } from './graph/stage-list';
import { type RunDialog, RunDialogs } from './header/run-dialogs';
import { RunTop } from './header/run-top';
import { useRunActions } from './header/use-run-actions';
import { LostStrip } from './lost-strip';
import { PastBanner } from './slider/past-banner';
import { TimeSlider } from './slider/time-slider';
import { Composer, TooLate } from './stream/composer';
import { Stream, type StreamHandle } from './stream/stream';
import { TabPane } from './tab-pane';
import { useTime } from './use-time';

const CALM = 200;
const NOBODY: Intervention[] = [];
const NO_CHECKPOINTS: CheckpointSummary[] = [];

/** The whole page of one run. */
export function RunScreen({ detail }: { detail: RunDetail }) {
  const { id } = detail;
  // What stands around the stream changes a few times a second; the stream listens for itself.
  const { log, version, connection } = useRunLog(id, CALM);
  const graph = useGraph(id);
  const checkpoints = useCheckpoints(id).data ?? NO_CHECKPOINTS;
  const { at, settled, seek } = useTime();
  // The slider and the header move at once; the stream follows as fast as it can be drawn.
  const streamAt = useDeferredValue(at);
  const [dialog, setDialog] = useState<RunDialog | null>(null);
  const stream = useRef<StreamHandle>(null);
  const composerId = useId();
  const isNarrow = !useMedia('(min-width: 768px)');
  const isWide = useMedia('(min-width: 1280px)');

  const isRead = log.lastSeq >= detail.sequence;
  const present = isRead ? log.view : viewOf(detail);
  // A log that is still on its way grows up to the moment that is shown.
  const known = at === null ? null : Math.min(at, log.lastSeq);
  const past = useMemo(() => (known === null ? null : log.viewAt(known)), [log, known]);
  const now = standingOf(detail, present);
  const standing = past ? { ...standingOf(detail, past), countsFrom: null } : now;
  const can = canOf(detail, now);
  const isMoving = now.tone === 'running';
  // A failed run may be resumed, and its agents hear what was said then.
  const isDone = detail.status === 'completed' || detail.status === 'cancelled';

  const open = (what: RunDialog | 'say') => {
    if (what === 'say') document.getElementById(composerId)?.focus();
    else setDialog(what);
  };
  const actions = useRunActions(detail, can, checkpointAt(checkpoints, at)?.number ?? null, open);

  const breakpoints = useBreakpoints();
  const drawing = graph.data?.graph;
  const pipeline = useMemo(() => (drawing ? readPipeline(drawing) : null), [drawing]);
  const visitCount = log.story.visits.size;
  // biome-ignore lint/correctness/useExhaustiveDependencies: visits are only added.
  const taken = useMemo(
    () => (pipeline ? edgesTaken(pipeline, log.story.sections, at ?? undefined) : new Map()),
    [pipeline, log, visitCount, at],
  );
  const stages = pipeline && {
    pipeline,
    standing,
    taken,
    breakpoints: detail.breakpoints,
    canBreak: can.cancel,
    onShow: (node: string) => stream.current?.showNode(node),
    onBreak: (node: string) => {
      const known = detail.breakpoints;
      const nodes = known.includes(node) ? known.filter((one) => one !== node) : [...known, node];
      breakpoints.mutate({ run: id, nodes });
    },
  };
  const look = `${standing.tone} ${standing.nodes} ${[...standing.visits]} ${[...taken]} ${detail.breakpoints} ${can.cancel}`;

  const streamPane = (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <Stream
          ref={stream}
          log={log}
          version={version}
          end={detail.sequence}
          at={streamAt}
          isMoving={isMoving}
        />
      </div>
      {can.say && at === null && (
        <Composer run={id} id={composerId} unheard={present.unheard ?? NOBODY} />
      )}
      {isDone && present.unheard && <TooLate unheard={present.unheard} />}
    </div>
  );
  const { checks, review, events } = countsAt(log, at);
  const counts = useMemo(() => ({ checks, review, events }), [checks, review, events]);
  const tabs = (
    <TabPane
      id={id}
      at={settled}
      counts={counts}
      isDone={detail.status === 'completed' && at === null}
      stream={isNarrow ? streamPane : null}
    />
  );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <RunTop
        detail={detail}
        standing={standing}
        actions={actions}
        isNarrow={isNarrow}
        isPast={at !== null}
      />
      {at !== null && (
        <PastBanner
          log={log}
          at={at}
          onNow={() => seek(null)}
          onFork={checkpointAt(checkpoints, at) ? () => setDialog('fork') : null}
        />
      )}
      {connection === 'lost' && <LostStrip seq={log.lastSeq} />}
      {!isWide && stages && <StageList direction="row" {...stages} />}
      <div className="flex min-h-0 flex-1">
        {isWide && stages && <GraphPane look={look} {...stages} />}
        {isNarrow ? (
          <div className="min-h-0 min-w-0 flex-1">{tabs}</div>
        ) : (
          <SplitPane
            name="run.tabs"
            label="Width of the tabs"
            sized="end"
            defaultSize={560}
            min={320}
            max={900}
            className="min-w-0 flex-1"
            first={streamPane}
            second={tabs}
          />
        )}
      </div>
      <TimeSlider log={log} checkpoints={checkpoints} at={at} onSeek={seek} />
      <RunDialogs
        detail={detail}
        checkpoints={checkpoints}
        at={at}
        open={dialog}
        onClose={() => setDialog(null)}
      />
    </div>
  );
}

import { useId, useMemo, useRef, useState } from 'react';
import { useBreakpoints } from '@/api/actions';
import { useRunLog } from '@/api/run-log';
import { useCheckpoints, useGraph } from '@/api/runs';
import { useMedia } from '@/lib/use-media';
import { checkpointAt } from '@/model/marks';
import { edgesTaken, readPipeline } from '@/model/pipeline';
import { canOf, standingOf, viewOf } from '@/model/standing';
import { SplitPane } from '@/ui/split-pane';
import type { RunDetail } from '@/wire/RunDetail';
import { GraphPane } from './graph/graph-pane';
import { StageList } from './graph/stage-list';
import { ActionKeys } from './header/action-keys';
import { FactsBar } from './header/facts-bar';
import { type RunDialog, RunDialogs } from './header/run-dialogs';
import { RunHeader } from './header/run-header';
import { useRunActions } from './header/use-run-actions';
import { WhyStrip } from './header/why-strip';
import { LostStrip } from './lost-strip';
import { PastBanner } from './slider/past-banner';
import { TimeSlider } from './slider/time-slider';
import { Composer } from './stream/composer';
import { Stream, type StreamHandle } from './stream/stream';
import { TabPane } from './tab-pane';
import { useTime } from './use-time';

/** The whole page of one run. */
export function RunScreen({ detail }: { detail: RunDetail }) {
  const { id } = detail;
  const { log, connection } = useRunLog(id);
  const graph = useGraph(id);
  const checkpoints = useCheckpoints(id).data ?? [];
  const { at, settled, seek } = useTime();
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

  const open = (what: RunDialog | 'say') => {
    if (what === 'say') document.getElementById(composerId)?.focus();
    else setDialog(what);
  };
  const actions = useRunActions(id, can, checkpointAt(checkpoints, at)?.number ?? null, open);

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
  const look = `${standing.tone} ${standing.nodes} ${[...standing.visits]} ${taken.size} ${detail.breakpoints} ${can.cancel} ${at}`;

  const streamPane = (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <Stream ref={stream} log={log} end={detail.sequence} at={at} isMoving={isMoving} />
      </div>
      {can.say && at === null && (
        <Composer run={id} id={composerId} unheard={present.unheard ?? []} />
      )}
    </div>
  );
  const { facts } = log;
  const tabs = (
    <TabPane
      id={id}
      at={settled}
      counts={{
        checks: facts.checks.length,
        review: facts.reviews.length,
        events: log.lastSeq,
      }}
      stream={isNarrow ? streamPane : null}
    />
  );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <RunHeader detail={detail} standing={standing} actions={actions} isNarrow={isNarrow} />
      <ActionKeys actions={actions} />
      <FactsBar detail={detail} standing={standing} />
      {at === null ? (
        <WhyStrip detail={detail} standing={now} actions={actions} />
      ) : (
        <PastBanner log={log} at={at} onNow={() => seek(null)} />
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
      <TimeSlider
        log={log}
        checkpoints={checkpoints}
        at={at}
        onSeek={seek}
        onFork={checkpointAt(checkpoints, at) ? () => setDialog('fork') : null}
      />
      <RunDialogs
        detail={detail}
        budget={now.budget}
        checkpoints={checkpoints}
        at={at}
        open={dialog}
        onClose={() => setDialog(null)}
      />
    </div>
  );
}

import { useId, useMemo, useRef, useState } from 'react';
import { useRunLog } from '@/api/run-log';
import { useCheckpoints } from '@/api/runs';
import { useMedia } from '@/lib/use-media';
import { countsAt } from '@/model/run/counts-at';
import { checkpointAt } from '@/model/run/marks';
import {
  allowedActionsOf,
  isTeamRun,
  mergedByHand,
  runStateOf,
  viewOf,
} from '@/model/run/run-state';
import { AgentGroup } from '@/ui/agent-group';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import type { RunDetail } from '@/wire/RunDetail';
import { useMergedByHand } from './delivery/use-merged-by-hand';
import { DisconnectedStrip } from './disconnected-strip';
import { useStages } from './graph/use-stages';
import { FactsBar } from './header/facts-bar';
import { type RunDialog, RunDialogs } from './header/run-dialogs';
import { RunTop } from './header/run-top';
import { type RunAction, useRunActions } from './header/use-run-actions';
import { RunBody } from './run-body';
import { PastBanner } from './slider/past-banner';
import { TimeSlider } from './slider/time-slider';
import { FilterToggle } from './stream/filter-toggle';
import type { StreamHandle } from './stream/stream';
import { StreamPane } from './stream/stream-pane';
import { useFilterOpen } from './stream/use-filter-open';
import { useCompose } from './use-compose';
import { useShowInStream } from './use-show-in-stream';
import { useTime } from './use-time';
import { usualTab } from './usual-tab';

const UPDATE_INTERVAL_MS = 200;
const NO_CHECKPOINTS: CheckpointSummary[] = [];
const NO_ACTIONS: RunAction[] = [];

/** The whole page of one run. */
export function RunScreen({ detail }: { detail: RunDetail }) {
  const { id } = detail;
  // What stands around the stream changes a few times a second; the stream listens for itself.
  const { log, version, connection } = useRunLog(id, UPDATE_INTERVAL_MS);
  const checkpoints = useCheckpoints(id).data ?? NO_CHECKPOINTS;
  const { at, settled, seek } = useTime();
  const [dialog, setDialog] = useState<RunDialog | null>(null);
  const stream = useRef<StreamHandle>(null);
  const composerId = useId();
  const [isFilterOpen, setFilterOpen] = useFilterOpen();
  const isNarrow = !useMedia('(min-width: 768px)');

  const isRead = log.lastSeq >= detail.sequence;
  const present = isRead ? log.view : viewOf(detail);
  // A log that is still on its way grows up to the moment that is shown.
  const known = at === null ? null : Math.min(at, log.lastSeq);
  const past = useMemo(() => (known === null ? null : log.viewAt(known)), [log, known]);
  const byHand = useMergedByHand(detail);
  const now = mergedByHand(runStateOf(detail, present), byHand.into);
  const isLost = connection === 'lost';
  // What a run does that cannot be heard is not known: no clock counts on, and nothing can be asked of it.
  const then = past ? runStateOf(detail, past) : now;
  const runState = past || isLost ? { ...then, countsFrom: null } : then;
  const can = allowedActionsOf(detail, now);

  const compose = useCompose(composerId, seek, isNarrow);
  const open = (what: RunDialog | 'say') => {
    if (what === 'say') compose();
    else setDialog(what);
  };
  const checkpoint = checkpointAt(checkpoints, at);
  const actions = useRunActions(detail, can, checkpoint?.number ?? null, open);
  const showInStream = useShowInStream(log, at);
  const onShow = (node: string) => (isNarrow ? showInStream(node) : stream.current?.showNode(node));
  const stages = useStages({ detail, log, runState, at, canBreak: can.cancel, onShow });
  const { checks, review, events } = countsAt(log, at);
  const counts = useMemo(() => ({ checks, review, events }), [checks, review, events]);
  const agents = [...Object.keys(detail.usage_by_agent), ...(stages?.agents.values() ?? [])];
  return (
    <AgentGroup agents={agents}>
      <div className="flex h-full min-h-0 flex-col">
        <RunTop
          detail={detail}
          runState={runState}
          actions={isLost ? NO_ACTIONS : actions}
          isNarrow={isNarrow}
          isPast={at !== null}
        />
        {at !== null && (
          <PastBanner
            log={log}
            at={at}
            status={isNarrow ? runState : null}
            onNow={() => seek(null)}
            onFork={checkpoint ? () => setDialog('fork') : null}
          />
        )}
        {isLost && <DisconnectedStrip seq={log.lastSeq} />}
        <RunBody
          stages={stages}
          tabs={{ id, at: settled, counts, usual: usualTab(detail, at), isTeam: isTeamRun(detail) }}
          narrow={
            isNarrow
              ? {
                  facts: <FactsBar detail={detail} runState={runState} isWrapped />,
                  actions: <FilterToggle isOpen={isFilterOpen} onToggle={setFilterOpen} />,
                }
              : null
          }
          stream={
            <StreamPane
              ref={stream}
              detail={detail}
              log={log}
              version={version}
              at={at}
              isMoving={now.tone === 'running' && !isLost}
              canSay={can.say}
              hasFilter={!isNarrow || isFilterOpen}
              composerId={composerId}
              unheard={present.unheard}
            />
          }
        />
        <TimeSlider log={log} checkpoints={checkpoints} at={at} onSeek={seek} />
        <RunDialogs
          detail={detail}
          checkpoints={checkpoints}
          at={at}
          open={dialog}
          isAtWork={now.tone === 'running'}
          onClose={() => setDialog(null)}
        />
      </div>
    </AgentGroup>
  );
}

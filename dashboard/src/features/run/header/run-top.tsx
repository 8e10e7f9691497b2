import { memo } from 'react';
import { useAsked } from '@/api/attention';
import type { InboxItem } from '@/model/inbox/inbox';
import { openItems } from '@/model/inbox/open-items';
import type { RunState } from '@/model/run/run-state';
import type { RunDetail } from '@/wire/RunDetail';
import { ActionKeys } from './action-keys';
import { CancelledStrip } from './cancelled-strip';
import { DoneStrip, hasResult } from './done-strip';
import { FactsBar } from './facts-bar';
import { notStarted } from './not-started';
import { RunHeader } from './run-header';
import type { RunAction } from './use-run-actions';
import { WhyStrip } from './why-strip';

type RunTopProps = {
  detail: RunDetail;
  runState: RunState;
  actions: RunAction[];
  isNarrow: boolean;
  /** The slider stands at a moment that is over. */
  isPast: boolean;
};

type PartProps = RunTopProps & {
  asked: readonly InboxItem[];
  /** Changes when something is drawn differently: events arrive far more often than that. */
  look: string;
};

const NO_ITEMS: InboxItem[] = [];

/** Title, actions, facts, and why it waits. */
export function RunTop(props: RunTopProps) {
  const { detail, runState, isPast, isNarrow } = props;
  const known = useAsked(detail);
  const asked = isPast ? NO_ITEMS : openItems(known, runState);
  const part = { ...props, asked, look: lookOf(props, asked) };
  // A narrow screen has room for one of them; there, the facts are in the tab of the pipeline, too.
  const hasNews = asked.length > 0 || notStarted(detail, runState) !== null || hasResult(detail);
  const isFactsShown = !isNarrow || (!isPast && !hasNews);
  return (
    <>
      <Head {...part} />
      {isFactsShown && <FactsBar detail={detail} runState={runState} />}
      {!isPast && <News {...part} />}
    </>
  );
}

const isAlike = (before: PartProps, after: PartProps) => before.look === after.look;

const Head = memo(function Head({ detail, runState, actions, asked, isNarrow }: PartProps) {
  return (
    <>
      <RunHeader
        detail={detail}
        runState={runState}
        actions={actions}
        asked={asked}
        isNarrow={isNarrow}
      />
      <ActionKeys actions={actions} />
    </>
  );
}, isAlike);

const News = memo(function News({ detail, runState, actions, asked }: PartProps) {
  return (
    <>
      <WhyStrip detail={detail} runState={runState} actions={actions} asked={asked} />
      <DoneStrip detail={detail} />
      <CancelledStrip detail={detail} />
    </>
  );
}, isAlike);

/** Everything that the parts draw, without what only counts on: spending, time, the length of the log. */
function lookOf({ detail, runState, actions, isNarrow }: RunTopProps, asked: readonly InboxItem[]) {
  const { spend: _, activeMs: __, countsFrom: ___, visits: ____, ...stands } = runState;
  const { title, issue_id, status, why, branch, in_place, is_archived } = detail;
  return JSON.stringify([
    stands,
    asked,
    actions.map(({ id, cli, isPending }) => [id, cli, isPending]),
    [title, issue_id, status, why, branch, in_place, is_archived, isNarrow],
    // Its result is shown at the end.
    status === 'completed' ? detail.sequence : null,
  ]);
}

import { memo } from 'react';
import { useAsked } from '@/api/attention';
import { askedAt } from '@/model/asked-at';
import type { InboxItem } from '@/model/inbox';
import type { Standing } from '@/model/standing';
import type { RunDetail } from '@/wire/RunDetail';
import { ActionKeys } from './action-keys';
import { DoneStrip } from './done-strip';
import { FactsBar } from './facts-bar';
import { RunHeader } from './run-header';
import type { RunAction } from './use-run-actions';
import { WhyStrip } from './why-strip';

type RunTopProps = {
  detail: RunDetail;
  standing: Standing;
  actions: RunAction[];
  isNarrow: boolean;
  /** The slider stands at a moment that is over. */
  isPast: boolean;
  /** Changes when something is drawn differently: events arrive far more often than that. */
  look: string;
};

const NOTHING: InboxItem[] = [];

/** Title, actions, facts, and why it waits. */
export const RunTop = memo(
  function RunTop({ detail, standing, actions, isNarrow, isPast }: RunTopProps) {
    const known = useAsked(detail);
    const asked = isPast ? NOTHING : askedAt(known, standing);
    return (
      <>
        <RunHeader
          detail={detail}
          standing={standing}
          actions={actions}
          asked={asked}
          isNarrow={isNarrow}
        />
        <ActionKeys actions={actions} />
        <FactsBar detail={detail} standing={standing} />
        {!isPast && (
          <WhyStrip detail={detail} standing={standing} actions={actions} asked={asked} />
        )}
        {!isPast && <DoneStrip detail={detail} />}
      </>
    );
  },
  (a, b) => a.look === b.look && a.detail === b.detail,
);

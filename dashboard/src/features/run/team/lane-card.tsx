import { CircleCheck, CircleDashed } from 'lucide-react';
import { cn } from '@/lib/cn';
import type { Fork, TeamView } from '@/model/team/team-view';
import { Card } from '@/ui/card';
import { StatusDot } from '@/ui/status-dot';
import { VisibleText } from '@/ui/visible-text';
import { STATE_TONES, STATE_WORDS } from './agent-look';
import { AgentWord } from './agent-word';
import { PlaceLink } from './place-link';

type LaneCardProps = { run: string; fork: Fork; view: TeamView };

/** Agents at work at the same time, each in a lane, with the points at which they wait for each other. */
export function LaneCard({ run, fork, view }: LaneCardProps) {
  const { agents, coordinator, seq, at } = fork;
  return (
    <Card
      flush
      title="At the same time"
      description={
        coordinator === null ? undefined : `${coordinator} combines the answers into one result.`
      }
      actions={<PlaceLink run={run} seq={seq} at={at} />}
    >
      <ul
        aria-label="Lanes"
        className="grid gap-px bg-line [grid-template-columns:repeat(auto-fit,minmax(10rem,1fr))]"
      >
        {agents.map((agent) => (
          <Lane key={agent} agent={agent} fork={fork} view={view} />
        ))}
      </ul>
    </Card>
  );
}

function Lane({ agent, fork, view }: { agent: string; fork: Fork; view: TeamView }) {
  const activity = view.agents.get(agent);
  const state = activity?.state ?? 'idle';
  const tone = STATE_TONES[state];
  return (
    <li className="flex min-w-0 flex-col gap-2 bg-panel px-4 py-3 text-sm">
      <p className="flex items-center gap-2">
        <AgentWord name={agent} />
        <span
          title={STATE_WORDS[state]}
          className="ml-auto flex items-center gap-1.5 text-2xs text-muted"
        >
          {tone && <StatusDot status={tone} />}
          <span className="sr-only">{STATE_WORDS[state]}</span>
        </span>
      </p>
      {fork.points.length > 0 && (
        <ul aria-label={`Sync points of ${agent}`} className="flex flex-col gap-1 text-xs">
          {fork.points.map((point) => {
            const hasArrived = fork.arrivals.some(
              (one) => one.agent === agent && one.point === point,
            );
            const Icon = hasArrived ? CircleCheck : CircleDashed;
            return (
              <li
                key={point}
                className={cn('flex items-center gap-1.5', !hasArrived && 'text-muted')}
              >
                <Icon aria-hidden className={cn('size-3.5', hasArrived && 'text-done')} />
                {point}: {hasArrived ? 'arrived' : 'not arrived yet'}
              </li>
            );
          })}
        </ul>
      )}
      {activity && activity.last !== '' && (
        <p className="line-clamp-3 text-xs text-pretty wrap-anywhere text-muted">
          <VisibleText>{activity.last}</VisibleText>
        </p>
      )}
    </li>
  );
}

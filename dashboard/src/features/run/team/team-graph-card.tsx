import { plural } from '@/lib/format';
import { membersOf, type Roster } from '@/model/team/roster';
import type { TeamView } from '@/model/team/team-view';
import { Badge } from '@/ui/badge';
import { Card } from '@/ui/card';
import { VisibleText } from '@/ui/visible-text';
import { LevelGraph } from './level-graph';

const WAYS: Record<string, string> = {
  handoff: 'handoffs',
  sequential: 'one after the other',
  parallel: 'at the same time',
  hierarchical: 'delegation',
  consensus: 'votes',
  custom: 'steps',
};

type TeamGraphCardProps = { roster: Roster; view: TeamView };

/** Who hands to whom. What was done is drawn thicker, and agents at work are marked. */
export function TeamGraphCard({ roster, view }: TeamGraphCardProps) {
  const agents = membersOf(roster).filter(({ team }) => team === null);
  return (
    <Card
      flush
      title={roster.name}
      description={<VisibleText>{roster.description}</VisibleText>}
      actions={
        <>
          <Badge>{plural(agents.length, 'agent')}</Badge>
          <Badge tone="outline">{WAYS[roster.way] ?? roster.way}</Badge>
        </>
      }
    >
      {roster.levels.map((level) => (
        <LevelGraph key={level.path} level={level} view={view} />
      ))}
    </Card>
  );
}

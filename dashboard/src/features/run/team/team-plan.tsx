import { useMemo } from 'react';
import { teamPlanOf } from '@/model/plan/plan';
import { Badge } from '@/ui/badge';
import { Card } from '@/ui/card';
import { PlanOutline } from '../plan/plan-outline';
import type { TabProps } from '../tab';
import { useStateAt } from '../use-state-at';

/** The plan that the team works by, if it has one. */
export function TeamPlan({ id, at }: TabProps) {
  const { state } = useStateAt(id, at);
  const plan = useMemo(() => teamPlanOf(state), [state]);
  if (!plan) return null;
  const done = plan.tasks.filter(({ status }) => status === 'completed').length;
  return (
    <Card title="Plan" actions={<Badge>{`${done} of ${plan.tasks.length} completed`}</Badge>}>
      <PlanOutline tasks={plan.tasks} done={null} isOver={false} />
    </Card>
  );
}

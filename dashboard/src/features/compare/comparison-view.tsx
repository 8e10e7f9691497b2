import { useRunMetrics } from '@/api/runs';
import type { Compared } from '@/wire/Compared';
import { CompareTable } from './compare-table';
import { modelRows, stageRows } from './detail-rows';
import { Differences } from './differences';
import { fileRows } from './file-rows';
import { numberRows } from './number-rows';
import { outcomeRows } from './outcome-rows';
import { PlanComparison } from './plan-comparison';
import { RunHeaders } from './run-headers';

type ComparedViewProps = { compared: Compared };

export function ComparisonView({ compared }: ComparedViewProps) {
  const ofA = useRunMetrics(compared.a.id);
  const ofB = useRunMetrics(compared.b.id);
  const isRead = ofA.data !== undefined && ofB.data !== undefined;
  const failed = ofA.error ?? ofB.error;
  return (
    <div className="flex flex-col gap-4">
      <RunHeaders compared={compared} />
      <Differences compared={compared} />
      <CompareTable id="compare-outcome" title="Outcome" rows={outcomeRows(compared)} />
      <CompareTable id="compare-numbers" title="Time and cost" rows={numberRows(compared)} />
      <PlanComparison compared={compared} />
      <CompareTable
        id="compare-files"
        title="Changed files"
        wide
        rows={fileRows(compared)}
        empty={
          compared.a.files || compared.b.files
            ? 'Neither run changed a file.'
            : 'Neither run has a worktree, so their changes are unknown.'
        }
      />
      <CompareTable
        id="compare-stages"
        title="Stages"
        rows={stageRows(compared, ofA.data, ofB.data)}
        empty="Neither run has entered a stage yet."
      />
      <CompareTable
        id="compare-models"
        title="Models"
        rows={modelRows(ofA.data, ofB.data)}
        empty={
          failed
            ? `Could not load models: ${failed.message}`
            : isRead
              ? 'Neither run has called a model yet.'
              : 'Looking…'
        }
      />
    </div>
  );
}

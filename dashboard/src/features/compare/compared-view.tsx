import { useRunMetrics } from '@/api/runs';
import type { Compared } from '@/wire/Compared';
import { CompareTable } from './compare-table';
import { modelRows, stageRows } from './detail-rows';
import { Differences } from './differences';
import { fileRows } from './file-rows';
import { numberRows } from './number-rows';
import { outcomeRows } from './outcome-rows';
import { PlanCompared } from './plan-compared';
import { RunHeads } from './run-heads';

type ComparedViewProps = { compared: Compared };

export function ComparedView({ compared }: ComparedViewProps) {
  const ofA = useRunMetrics(compared.a.id);
  const ofB = useRunMetrics(compared.b.id);
  const isRead = ofA.data !== undefined && ofB.data !== undefined;
  const failed = ofA.error ?? ofB.error;
  return (
    <div className="flex flex-col gap-4">
      <RunHeads compared={compared} />
      <Differences compared={compared} />
      <CompareTable id="compare-outcome" title="How it went" rows={outcomeRows(compared)} />
      <CompareTable id="compare-numbers" title="What it took" rows={numberRows(compared)} />
      <PlanCompared compared={compared} />
      <CompareTable
        id="compare-files"
        title="Changed files"
        wide
        rows={fileRows(compared)}
        empty={
          compared.a.files || compared.b.files
            ? 'Neither has changed a file.'
            : 'Neither has a worktree: nobody knows what they changed.'
        }
      />
      <CompareTable
        id="compare-stages"
        title="Stages"
        rows={stageRows(compared, ofA.data, ofB.data)}
        empty="Neither has entered a stage yet."
      />
      <CompareTable
        id="compare-models"
        title="Models"
        rows={modelRows(ofA.data, ofB.data)}
        empty={
          failed
            ? `They could not be read: ${failed.message}`
            : isRead
              ? 'Neither has called a model yet.'
              : 'Looking…'
        }
      />
    </div>
  );
}

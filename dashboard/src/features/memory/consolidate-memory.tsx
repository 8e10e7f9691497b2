import { Combine } from 'lucide-react';
import { Link } from 'react-router';
import { useConsolidate, useEndOfConsolidation } from '@/api/memory';
import { Button } from '@/ui/button';
import { CodedText } from '@/ui/coded-text';
import type { ConsolidationRun } from '@/wire/ConsolidationRun';

type ConsolidateMemoryProps = { scope: string };

/** Summarises entries about one topic, and names the runs that do it. */
export function ConsolidateMemory({ scope }: ConsolidateMemoryProps) {
  const { mutate, data, error, isPending } = useConsolidate();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button icon={<Combine />} loading={isPending} onClick={() => mutate(scope)}>
        Summarise topics
      </Button>
      {data?.runs.length === 0 && (
        <p role="status" className="text-sm text-muted">
          Nothing to summarise: a topic needs three entries that are in no summary.
        </p>
      )}
      {data?.runs.map((run) => (
        <SummaryRun key={run.run_id} run={run} />
      ))}
      {error && (
        <p role="alert" className="text-sm text-failed">
          <CodedText>{error.message}</CodedText>
        </p>
      )}
    </div>
  );
}

type SummaryRunProps = { run: ConsolidationRun };

function SummaryRun({ run }: SummaryRunProps) {
  const { run_id, number, topics, method } = run;
  const status = useEndOfConsolidation(run_id);
  const done = status === 'completed' ? 'has summarised' : 'summarises';
  const how = method === 'extractive' ? ', without a model' : '';
  return (
    <p role="status" className="text-sm text-muted">
      <Link to={`/runs/${run_id}`} className="font-medium underline underline-offset-3">
        r{number}
      </Link>{' '}
      {status === 'failed' ? 'could not summarise' : done} {topics.join(', ')}
      {how}
    </p>
  );
}

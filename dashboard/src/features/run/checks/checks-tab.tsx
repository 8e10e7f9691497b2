import { FlaskConical } from 'lucide-react';
import { plural } from '@/lib/format';
import type { ChecksFact } from '@/model/run/facts';
import { EmptyState } from '@/ui/empty-state';
import { LogStates, noneOf } from '../log-states';
import type { TabProps } from '../tab';
import { useSlowLog } from '../use-slow-log';
import { CheckRun } from './check-run';

/** Every run of the checks, the latest first, as of `at`. */
export default function ChecksTab({ id, at }: TabProps) {
  const state = useSlowLog(id);
  const all = state.log.facts.checks.filter(({ seq }) => at === null || seq <= at);
  if (all.length === 0)
    return (
      <LogStates state={state}>
        <EmptyState icon={<FlaskConical />} title={noneOf('checks', state)}>
          Your project’s checks, such as tests, linters and builds, run after each task. Their
          results appear here.
        </EmptyState>
      </LogStates>
    );
  const failed = all.filter(isFailed).length;
  return (
    <div className="flex flex-col gap-4 p-3 md:p-4">
      <p aria-live="polite" className="text-sm text-muted">
        {plural(all.length, 'check run')}, {failed === 0 ? 'all passed' : `${failed} failed`}
      </p>
      {all.toReversed().map((fact, index) => (
        <CheckRun key={fact.seq} run={id} fact={fact} isLatest={index === 0} />
      ))}
    </div>
  );
}

const isFailed = ({ checks }: ChecksFact) => checks.some((check) => !check.passed);

import { Package } from 'lucide-react';
import { useArtifacts } from '@/api/artifacts';
import { useDiff, useRun } from '@/api/runs';
import { planStateOf } from '@/model/plan/plan';
import { attachmentsOf } from '@/model/run/attachments';
import { Card } from '@/ui/card';
import { CopyButton } from '@/ui/copy-button';
import { EmptyState } from '@/ui/empty-state';
import { KeyValue, type KeyValueItem } from '@/ui/key-value';
import { LogStates, noneOf } from '../log-states';
import type { TabProps } from '../tab';
import { useSlowLog } from '../use-slow-log';
import { Attachments } from './attachments';
import { ChangedFiles } from './changed-files';
import { Commits } from './commits';
import { Downloads } from './downloads';
import { Effects } from './effects';
import { VersionedList } from './versioned-list';

/** What the run has made and left behind, and how to take it along. */
export default function ArtifactsTab({ id, at }: TabProps) {
  const state = useSlowLog(id);
  const run = useRun(id);
  const diff = useDiff(id, at === null ? {} : { at });
  const isThen = ({ seq }: { seq: number }) => at === null || seq <= at;
  const commits = state.log.facts.commits.filter(isThen);
  const effects = state.log.facts.effects.filter(isThen);
  const files = diff.data?.files ?? [];
  const attached = attachmentsOf(run.data?.state);
  const places = placesOf(run.data, diff.data?.branch ?? null);
  const count = state.log.facts.artifactVersions;
  const artifacts = useArtifacts(id, count).data ?? [];
  const isEmpty =
    commits.length + effects.length + files.length + attached.length + artifacts.length === 0;
  return (
    <div className="flex flex-col gap-4 p-3 md:p-4">
      {isEmpty && (
        <LogStates state={state}>
          <EmptyState icon={<Package />} title={noneOf('artifacts', state)} className="py-6">
            Commits, changed files, pull requests and their receipts appear here.
          </EmptyState>
        </LogStates>
      )}
      {artifacts.length > 0 && (
        <Card
          title="Artifacts"
          description={at === null ? undefined : 'As they are now, not at the selected moment.'}
          flush
        >
          <VersionedList run={id} artifacts={artifacts} count={count} />
        </Card>
      )}
      {commits.length > 0 && (
        <Card title="Commits" flush>
          <Commits commits={commits} run={id} />
        </Card>
      )}
      {effects.length > 0 && (
        <Card title="External changes" flush>
          <Effects effects={effects} />
        </Card>
      )}
      {files.length > 0 && (
        <Card title="Changed files" flush>
          <ChangedFiles id={id} files={files} isPast={at !== null} />
        </Card>
      )}
      {attached.length > 0 && (
        <Card title="Attached files" description="For the agents, from the start of the run." flush>
          <Attachments id={id} files={attached} />
        </Card>
      )}
      {places.length > 0 && (
        <Card title="Location">
          <KeyValue items={places} />
        </Card>
      )}
      <Card title="Downloads">
        <Downloads
          run={run.data?.short_id ?? id}
          log={state.log}
          diff={diff.data ?? null}
          at={at}
        />
      </Card>
    </div>
  );
}

function placesOf(run: ReturnType<typeof useRun>['data'], branch: string | null): KeyValueItem[] {
  if (!run) return [];
  const named: [string, string | null][] = [
    ['Branch', branch ?? run.branch],
    ['Plan', planStateOf(run.state).path],
    ['Base', run.base_commit],
    ['Worktree', run.worktree],
    ['Repository', run.worktree_path],
  ];
  return named.flatMap(([label, value]) =>
    value === null
      ? []
      : [
          {
            label,
            mono: true,
            value: (
              <span className="inline-flex items-center gap-1">
                <span className="wrap-anywhere">{value}</span>
                <CopyButton text={value} label={`Copy: ${label}`} className="size-6" />
              </span>
            ),
          },
        ],
  );
}

import { TriangleAlert } from 'lucide-react';
import { useNavigate } from 'react-router';
import { usePrompts } from '@/api/settings';
import { QueryError } from '@/features/settings/parts/query-error';
import { SettingsSection } from '@/features/settings/parts/settings-section';
import { SettingsSkeleton } from '@/features/settings/parts/settings-skeleton';
import { settingsCli } from '@/model/cli/cli-settings';
import { knownPrompts } from '@/model/settings/prompt-template';
import { AgentAvatar } from '@/ui/agent-avatar';
import { Badge } from '@/ui/badge';
import { Card } from '@/ui/card';
import { CliCommand } from '@/ui/cli-command';
import { PageHeader } from '@/ui/page-header';
import { Table } from '@/ui/table';
import { agents as tokens } from '@/ui/tones';
import type { PromptShown } from '@/wire/PromptShown';

export default function PromptsPage() {
  const { data, error, isPending, refetch, isFetching } = usePrompts();
  const groups = Map.groupBy(data ?? [], (prompt) => prompt.name.split('.')[0] ?? '');
  return (
    <>
      <PageHeader title="Prompts" actions={<CliCommand command={settingsCli.prompts()} />} />
      {isPending && <SettingsSkeleton />}
      {error && (
        <QueryError
          title="Could not load prompts"
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data && (
        <SettingsSection intro="The prompts of the agents. You can change any of them. Every version is kept, and you can always reset to the default.">
          {[...groups].map(([agent, prompts]) => (
            <Card
              key={agent}
              flush
              title={
                <AgentAvatar
                  withName
                  size="sm"
                  agent={tokens.find((one) => one === agent) ?? 'system'}
                  name={agent}
                />
              }
            >
              <PromptTable agent={agent} prompts={prompts} />
            </Card>
          ))}
        </SettingsSection>
      )}
    </>
  );
}

function PromptTable({ agent, prompts }: { agent: string; prompts: PromptShown[] }) {
  const navigate = useNavigate();
  return (
    <Table
      caption={`${agent} prompts`}
      rows={prompts}
      rowKey={(prompt) => prompt.name}
      onRowClick={(prompt) => navigate(`/settings/prompts/${encodeURIComponent(prompt.name)}`)}
      columns={[
        {
          id: 'name',
          header: 'Name',
          className: 'md:w-56',
          cell: (prompt) => <code className="text-xs font-medium">{prompt.name}</code>,
        },
        {
          id: 'about',
          header: 'About',
          className: 'max-sm:hidden',
          cell: (prompt) => (
            <span className="text-muted">{knownPrompts[prompt.name]?.about ?? ''}</span>
          ),
        },
        {
          id: 'state',
          header: 'Text',
          className: 'lg:w-40 xl:w-64',
          cell: (prompt) => (
            <span className="flex flex-wrap items-center gap-1.5">
              {prompt.is_own ? (
                <Badge tone="accent">your own, version {prompt.version ?? '?'}</Badge>
              ) : (
                <Badge>default</Badge>
              )}
              {prompt.problem && (
                <Badge tone="needs-you" icon={<TriangleAlert />} title={prompt.problem}>
                  used as plain text
                </Badge>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

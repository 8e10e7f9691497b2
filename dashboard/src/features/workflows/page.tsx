import { Bot, Workflow } from 'lucide-react';
import { useRepositoryField } from '@/api/repository';
import { definitionsCli } from '@/model/cli/cli-definitions';
import { CliCommand } from '@/ui/cli-command';
import { PageHeader } from '@/ui/page-header';
import { RepositoryField } from '@/ui/repository-field';
import { DefinitionCard } from './definition-card';

const HINT = 'Without a repository, only those in Amelia’s home and from the API are shown.';

export default function WorkflowsPage() {
  const { field, rested: repository, isReady } = useRepositoryField();
  return (
    <>
      <PageHeader
        title="Workflows"
        actions={<CliCommand command={definitionsCli.list(repository)} />}
      />
      <div className="mx-auto flex max-w-225 flex-col gap-4 px-4 py-5 md:px-6">
        <p className="text-sm text-pretty text-muted">
          Workflows and agents from files: <code>.amelia/workflows</code> and{' '}
          <code>.amelia/agents</code> in a repository, then <code>workflows</code> and{' '}
          <code>agents</code> in Amelia’s home, then those that were sent to the API.
        </p>
        <RepositoryField {...field} hint={HINT} />
        {isReady && (
          <>
            <DefinitionCard
              kind="workflow"
              title="Workflows"
              repository={repository}
              icon={<Workflow />}
            />
            <DefinitionCard kind="agent" title="Agents" repository={repository} icon={<Bot />} />
          </>
        )}
      </div>
    </>
  );
}

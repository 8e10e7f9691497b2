import { Plus, Users } from 'lucide-react';
import { Link } from 'react-router';
import { useRepositoryField } from '@/api/repository';
import { definitionsCli } from '@/model/cli/cli-definitions';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { PageHeader } from '@/ui/page-header';
import { RepositoryField } from '@/ui/repository-field';
import { DefinitionCard } from './definition-card';
import { newTeam } from './page-of';

const HINT = 'Without a repository, only teams in Amelia’s home and on this server are shown.';

export default function TeamsPage() {
  const { field, rested: repository, isReady } = useRepositoryField();
  return (
    <>
      <PageHeader
        title="Teams"
        actions={
          <>
            <CliCommand command={definitionsCli.listTeams(repository)} />
            <Button asChild size="sm" variant="primary">
              <Link to={newTeam(repository)}>
                <Plus />
                New team
              </Link>
            </Button>
          </>
        }
      />
      <div className="mx-auto flex max-w-225 flex-col gap-4 px-4 py-5 md:px-6">
        <p className="text-sm text-pretty text-muted">
          Several agents that work on one task together: from <code>.amelia/teams</code> in a
          repository, then <code>teams</code> in Amelia’s home, then those saved on this server.
        </p>
        <RepositoryField {...field} hint={HINT} />
        {isReady && (
          <DefinitionCard kind="team" title="Teams" repository={repository} icon={<Users />} />
        )}
      </div>
    </>
  );
}

import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import {
  type DefinitionDetail,
  type DefinitionKind,
  fileOf,
  sourceWord,
} from '@/model/workflows/definition';
import { Badge } from '@/ui/badge';
import { PageHeader } from '@/ui/page-header';
import { DeleteTeam } from './delete-team';
import { allOf, listOf } from './page-of';

type DefinitionHeaderProps = {
  kind: DefinitionKind;
  definition: Pick<DefinitionDetail, 'name' | 'source' | 'path'>;
  repository: string;
};

/** The name of a definition, where it is, and the way back to the list. */
export function DefinitionHeader({ kind, definition, repository }: DefinitionHeaderProps) {
  const { name, source } = definition;
  const file = fileOf(definition);
  const isSaved = kind === 'team' && source === 'api';
  return (
    <PageHeader
      title={name}
      leading={
        <Link
          to={listOf(kind, repository)}
          aria-label={allOf(kind)}
          className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-fg"
        >
          <ArrowLeft className="size-4" />
        </Link>
      }
      meta={
        <>
          <Badge tone="outline">{sourceWord(source)}</Badge>
          {file !== null && <code className="text-xs max-md:hidden">{file}</code>}
        </>
      }
      {...(isSaved ? { actions: <DeleteTeam name={name} repository={repository} /> } : {})}
    />
  );
}

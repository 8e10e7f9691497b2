import { TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { plural } from '@/lib/format';
import {
  type Definition,
  type DefinitionKind,
  memberCount,
  nodeCount,
  sourceWord,
} from '@/model/workflows/definition';
import { Badge } from '@/ui/badge';
import { VisibleText } from '@/ui/visible-text';
import { pageOf } from './page-of';

type DefinitionRowProps = { kind: DefinitionKind; definition: Definition; repository: string };

export function DefinitionRow({ kind, definition, repository }: DefinitionRowProps) {
  const { name, description, problems, source } = definition;
  const nodes = nodeCount(definition.definition);
  const members = memberCount(definition.definition);
  return (
    <li className="relative flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2.5 first:border-t-0 hover:bg-hover">
      <Link
        to={pageOf(kind, name, repository)}
        className="min-w-30 shrink-0 rounded-sm font-medium after:absolute after:inset-0"
      >
        {name}
      </Link>
      <p className="min-w-40 flex-1 text-sm text-pretty wrap-anywhere text-muted">
        <VisibleText>{description ?? ''}</VisibleText>
      </p>
      <span className="flex shrink-0 items-center gap-2">
        {problems.length > 0 && (
          <Badge tone="failed" icon={<TriangleAlert aria-hidden />}>
            {plural(problems.length, 'problem')}
          </Badge>
        )}
        {kind === 'workflow' && nodes > 0 && <Badge>{plural(nodes, 'node')}</Badge>}
        {kind === 'team' && members > 0 && <Badge>{plural(members, 'agent')}</Badge>}
        <Badge tone="outline">{sourceWord(source)}</Badge>
      </span>
    </li>
  );
}

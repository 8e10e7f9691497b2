import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useCheckedText } from '@/api/definitions';
import { useDebounced } from '@/lib/use-debounced';
import type { DefinitionDetail, DefinitionKind } from '@/model/workflows/definition';
import { Badge } from '@/ui/badge';
import { PageHeader } from '@/ui/page-header';
import { VisibleText } from '@/ui/visible-text';
import { DefinitionGraph } from './definition-graph';
import { DefinitionText } from './definition-text';
import { listOf } from './page-of';
import { StartCard } from './start-card';

type DefinitionScreenProps = {
  kind: DefinitionKind;
  definition: DefinitionDetail;
  repository: string;
};

export function DefinitionScreen({ kind, definition, repository }: DefinitionScreenProps) {
  const { name, source, path } = definition;
  // Until it is edited, the text is that of the file, also when that changes.
  const [edited, setEdited] = useState<string | null>(null);
  const text = edited ?? definition.text;
  const isChanged = text !== definition.text;
  const rested = useDebounced(text, 250);
  const typed = useCheckedText(kind, repository, name, isChanged ? rested : null);
  const checked = isChanged ? (typed.data ?? definition) : definition;
  // What is wrong has no picture: the last one stays.
  const drawn = checked.graph === null ? definition : checked;
  return (
    <>
      <PageHeader
        title={name}
        leading={
          <Link
            to={listOf(repository)}
            aria-label="All workflows"
            className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-fg"
          >
            <ArrowLeft className="size-4" />
          </Link>
        }
        meta={
          <>
            <Badge tone="outline">{source}</Badge>
            <code className="text-xs max-md:hidden">{path}</code>
          </>
        }
      />
      {definition.description && (
        <p className="mx-auto max-w-350 px-4 pt-4 text-sm text-pretty text-muted md:px-6">
          <VisibleText>{definition.description}</VisibleText>
        </p>
      )}
      <div className="mx-auto grid max-w-350 gap-4 p-4 md:p-6 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr]">
        {drawn.graph !== null && (
          <DefinitionGraph graph={drawn.graph} definition={drawn.definition} />
        )}
        <StartCard kind={kind} definition={definition} repository={repository} />
        <DefinitionText
          kind={kind}
          text={text}
          saved={definition.text}
          path={path}
          checked={checked}
          error={typed.error}
          isChecking={isChanged && (rested !== text || typed.isFetching)}
          onChange={(next) => setEdited(next === definition.text ? null : next)}
        />
      </div>
    </>
  );
}

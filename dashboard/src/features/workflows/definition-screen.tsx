import { useState } from 'react';
import { useCheckedText } from '@/api/definitions';
import { useDebounced } from '@/lib/use-debounced';
import { type DefinitionDetail, type DefinitionKind, fileOf } from '@/model/workflows/definition';
import { VisibleText } from '@/ui/visible-text';
import { DefinitionGraph } from './definition-graph';
import { DefinitionHeader } from './definition-header';
import { DefinitionText } from './definition-text';
import { StartCard } from './start-card';
import { useSaveTeam } from './use-save-team';

type DefinitionScreenProps = {
  kind: DefinitionKind;
  definition: DefinitionDetail;
  repository: string;
};

export function DefinitionScreen({ kind, definition, repository }: DefinitionScreenProps) {
  const { name } = definition;
  // Until it is edited, the text is that of the file, also when that changes.
  const [edited, setEdited] = useState<string | null>(null);
  const text = edited ?? definition.text;
  const isChanged = text !== definition.text;
  const rested = useDebounced(text, 250);
  const typed = useCheckedText(kind, repository, name, isChanged ? rested : null);
  const checked = isChanged ? (typed.data ?? definition) : definition;
  const isChecking = isChanged && (rested !== text || typed.isFetching);
  // What is wrong has no picture: the last one stays.
  const drawn = checked.graph === null ? definition : checked;
  const save = useSaveTeam(definition, () => setEdited(null));
  const isSaved = kind === 'team' && definition.source === 'api';
  const canSave = isSaved && isChanged && !isChecking && !typed.error;
  return (
    <>
      <DefinitionHeader kind={kind} definition={definition} repository={repository} />
      {definition.description && (
        <p className="mx-auto max-w-350 px-4 pt-4 text-sm text-pretty text-muted md:px-6">
          <VisibleText>{definition.description}</VisibleText>
        </p>
      )}
      <div className="mx-auto grid max-w-350 gap-4 p-4 md:p-6 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr]">
        {drawn.graph !== null && (
          <DefinitionGraph kind={kind} graph={drawn.graph} definition={drawn.definition} />
        )}
        <StartCard kind={kind} definition={definition} repository={repository} />
        <DefinitionText
          kind={kind}
          text={text}
          saved={definition.text}
          file={fileOf(definition)}
          checked={checked}
          error={typed.error}
          isChecking={isChecking}
          onChange={(next) => setEdited(next === definition.text ? null : next)}
          {...(isSaved
            ? { save: { ...save, run: canSave ? () => save.run(checked.definition) : null } }
            : {})}
        />
      </div>
    </>
  );
}

import { Folder, History } from 'lucide-react';
import { useRepositoryChoices } from '@/api/start-form';
import { formatRelative } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import { Field } from '@/ui/field';
import { SuggestInput, type Suggestion } from '@/ui/suggest-input';
import { type Form, idOf } from './form';
import { RepositoryState } from './repository-state';

type RepositoryFieldProps = Form & {
  /** Directories that the profiles are for. */
  known: readonly string[];
};

export function RepositoryField({ draft, change, errorOf, known }: RepositoryFieldProps) {
  const path = draft.repository ?? '';
  const { choices, rested, look, isSettled } = useRepositoryChoices(path, known);
  const now = useNow(60_000);
  const suggestions = choices.map(
    ({ path: value, lastUsed, isOfProfile }): Suggestion => ({
      value,
      icon: lastUsed ? <History aria-hidden /> : <Folder aria-hidden />,
      ...(lastUsed ? { hint: formatRelative(lastUsed, now) } : {}),
      ...(isOfProfile ? { hint: 'profile' } : {}),
    }),
  );
  return (
    <Field label="Repository" id={idOf('repository')} error={errorOf('repository')}>
      {(control) => (
        <>
          <SuggestInput
            {...control}
            mono
            value={path}
            onChange={(repository) => change({ repository })}
            suggestions={suggestions}
            placeholder="/path/to/repository"
            aria-describedby={[control['aria-describedby'], 'repository-state']
              .filter(Boolean)
              .join(' ')}
          />
          <RepositoryState
            path={rested}
            look={look.data}
            error={look.error}
            isSettled={isSettled}
            onUse={(root) => change({ repository: root })}
          />
        </>
      )}
    </Field>
  );
}

import { Folder, History } from 'lucide-react';
import { useLook, useRepositories } from '@/api/start-form';
import { formatRelative } from '@/lib/format';
import { useDebounced } from '@/lib/use-debounced';
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
  const rested = useDebounced(path.trim(), 250);
  const recents = useRepositories();
  const look = useLook(rested);
  const now = useNow(60_000);

  const isTyped = path.trim() !== '' && path !== look.data?.root;
  const fits = (one: string) => !isTyped || one.toLowerCase().includes(path.trim().toLowerCase());
  const suggestions: Suggestion[] = [];
  const add = (suggestion: Suggestion) => {
    if (!suggestions.some((one) => one.value === suggestion.value)) suggestions.push(suggestion);
  };
  for (const recent of recents.data ?? []) {
    const hint = formatRelative(recent.last_used, now);
    if (fits(recent.path)) add({ value: recent.path, hint, icon: <History aria-hidden /> });
  }
  for (const one of known.filter(fits)) {
    add({ value: one, hint: 'profile', icon: <Folder aria-hidden /> });
  }
  const there = look.data?.path === rested ? look.data.suggestions : [];
  for (const one of there) {
    if (one !== path) add({ value: one, icon: <Folder aria-hidden /> });
  }
  const isSettled = rested === path.trim() && !look.isFetching;
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

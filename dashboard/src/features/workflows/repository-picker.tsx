import { Folder, History } from 'lucide-react';
import { useRepositoryChoices } from '@/api/start-form';
import { formatRelative } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import { Field } from '@/ui/field';
import { SuggestInput } from '@/ui/suggest-input';

type RepositoryPickerProps = {
  path: string;
  onChange: (path: string) => void;
  /** Directories of profiles. */
  known: readonly string[];
  /** What is shown without one. */
  hint?: string;
};

const HINT = 'Without a repository, only those in Amelia’s home and from the API are shown.';

/** Which repository's files are shown. */
export function RepositoryPicker({ path, onChange, known, hint = HINT }: RepositoryPickerProps) {
  const { choices, look, isSettled } = useRepositoryChoices(path, known);
  const now = useNow(60_000);
  const problem = isSettled && path.trim() !== '' ? look.data?.problem : null;
  return (
    <Field label="Repository" hint={hint} {...(problem ? { error: problem } : {})}>
      {(control) => (
        <SuggestInput
          {...control}
          mono
          value={path}
          onChange={onChange}
          placeholder="/path/to/repository"
          suggestions={choices.map(({ path: value, lastUsed, isOfProfile }) => ({
            value,
            icon: lastUsed ? <History aria-hidden /> : <Folder aria-hidden />,
            ...(lastUsed ? { hint: formatRelative(lastUsed, now) } : {}),
            ...(isOfProfile ? { hint: 'profile' } : {}),
          }))}
        />
      )}
    </Field>
  );
}

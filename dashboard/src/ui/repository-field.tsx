import { Folder, History } from 'lucide-react';
import { formatRelative } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import { Field } from '@/ui/field';
import { SuggestInput } from '@/ui/suggest-input';

type RepositoryFieldProps = {
  path: string;
  onChange: (path: string) => void;
  choices: readonly { path: string; lastUsed: string | null; isOfProfile: boolean }[];
  /** What is wrong with the path. */
  problem: string | null;
  /** What is shown without one. */
  hint: string;
};

/** Which repository is meant. */
export function RepositoryField({ path, onChange, choices, problem, hint }: RepositoryFieldProps) {
  const now = useNow(60_000);
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

import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { isString, remember, remembered } from '@/lib/storage';
import { useDebounced } from '@/lib/use-debounced';
import { useProfiles } from './settings';
import { useRepositories, useRepositoryChoices } from './start-form';

const KEY = 'workflows.repository';

/** The repository whose files are shown: that of the link, else the last one, else one where work was done. */
export function useRepository() {
  const [params, setParams] = useSearchParams();
  const profiles = useProfiles();
  const recents = useRepositories();
  const isKnown = !profiles.isPending && !recents.isPending;
  const roots = (profiles.data ?? []).map((one) => one.repo_root);
  const known = [...new Set(roots)].filter((path) => path.startsWith('/'));
  const active = profiles.data?.find((one) => one.is_active)?.repo_root;
  const usual = recents.data?.[0]?.path ?? active ?? '';
  const asked = params.get('repository');
  const typed = asked ?? (remembered(KEY, isString, '') || usual);
  const path = isPath(typed.trim()) ? typed.trim() : '';
  const rested = useDebounced(path, 250);
  useEffect(() => {
    if (asked !== null) remember(KEY, asked.trim());
  }, [asked]);
  const change = (path: string) =>
    setParams(
      (now) => {
        now.set('repository', path);
        return now;
      },
      { replace: true },
    );
  return { typed, change, known, path, rested, isReady: asked !== null || isKnown };
}

/** The same, with what the field for it shows. */
export function useRepositoryField() {
  const repository = useRepository();
  const { typed: path, change: onChange, known } = repository;
  const { choices, look, isSettled } = useRepositoryChoices(path, known);
  const problem = (isSettled && path.trim() !== '' && look.data?.problem) || null;
  return { ...repository, field: { path, onChange, choices, problem } };
}

const isPath = (text: string) => text.startsWith('/') || text.startsWith('~');

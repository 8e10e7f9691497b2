type Profile = { name: string; repo_root: string; is_active: boolean };

/**
 * The profile that a run in this repository gets when none is named, as `amelia start` chooses it: the active one if it
 * is for this directory, or else the one for the innermost directory around it, or else the active one if it is for
 * every repository. A profile of another repository is used only if a person chooses it.
 */
export function usualProfile<P extends Profile>(
  profiles: readonly P[],
  repository: string | null,
): P | undefined {
  const around = (one: P) => repository !== null && isInside(repository, one.repo_root);
  const active = profiles.find((one) => one.is_active);
  if (active && around(active)) return active;
  const innermost = profiles
    .filter(around)
    .reduce<P | undefined>(
      (best, one) => (best && best.repo_root.length >= one.repo_root.length ? best : one),
      undefined,
    );
  const other = active ?? profiles[0];
  const isForAll = repository === null || !other?.repo_root.startsWith('/');
  return innermost ?? (isForAll ? other : undefined);
}

function isInside(path: string, directory: string): boolean {
  if (!directory.startsWith('/')) return false;
  const root = directory.replace(/\/+$/, '');
  return path === root || path.startsWith(`${root}/`);
}

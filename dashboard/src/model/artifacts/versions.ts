// Versions of an artifact.

import type { ArtifactVersionShown } from '@/wire/ArtifactVersionShown';
import type { LogEvent } from '@/wire/LogEvent';

/** What the names of artifacts that have versions begin with; files of a worktree have none. */
const ARTIFACTS = 'file://artifacts/';

/** Whether an event tells of a version. */
export function isVersion({ kind }: LogEvent): boolean {
  if (!('artifact' in kind)) return false;
  const [fact] = Object.values(kind.artifact);
  return fact?.uri.startsWith(ARTIFACTS) ?? false;
}

/** The version before, of those that are listed with the newest first. */
export function versionBefore(
  versions: readonly Pick<ArtifactVersionShown, 'version'>[],
  version: string,
): string | null {
  const at = versions.findIndex((one) => one.version === version);
  return at < 0 ? null : (versions[at + 1]?.version ?? null);
}

const OTHER_TEXTS =
  /^application\/(json|ya?ml|xml|toml|sql|javascript|typescript|x-sh|x-yaml)\b|\+(json|xml)\b/;

export const isText = (type: string) => type.startsWith('text/') || OTHER_TEXTS.test(type);

/** Pictures that a page shows. */
export const isPicture = (type: string) => /^image\/(png|jpe?g|gif|webp|avif)$/.test(type);

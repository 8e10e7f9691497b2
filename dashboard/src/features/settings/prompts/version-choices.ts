import type { PromptShown } from '@/wire/PromptShown';
import type { PromptVersion } from '@/wire/PromptVersion';

export type VersionChoice = { value: string; label: string; text: string };

/** The texts that can be compared, oldest first. The shipped one is known only while it is the one in use. */
export function versionChoices(
  prompt: PromptShown,
  versions: readonly PromptVersion[],
): VersionChoice[] {
  const written = versions.flatMap(({ version, text }) =>
    text === null ? [] : [{ value: String(version), label: `Version ${version}`, text }],
  );
  if (prompt.is_own) return written;
  return [...written, { value: 'shipped', label: 'Shipped, in use', text: prompt.text }];
}

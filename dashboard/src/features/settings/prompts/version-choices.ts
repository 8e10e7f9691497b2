import type { PromptShown } from '@/wire/PromptShown';
import type { PromptVersion } from '@/wire/PromptVersion';

export type VersionChoice = { value: string; label: string; text: string };

/** The texts that can be compared: the shipped one, and what people have written, the one in use last. */
export function versionChoices(
  prompt: PromptShown,
  versions: readonly PromptVersion[],
): VersionChoice[] {
  const written = versions.flatMap(({ version, text }) =>
    text === null ? [] : [{ value: String(version), label: `Version ${version}`, text }],
  );
  const shipped = { value: 'shipped', text: prompt.shipped ?? prompt.text };
  return prompt.is_own
    ? [{ ...shipped, label: 'Default' }, ...written]
    : [...written, { ...shipped, label: 'Default, in use' }];
}

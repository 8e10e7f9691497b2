// What the doctor found, in the order in which it matters.

import type { Finding } from '@/wire/Finding';
import type { FindingState } from '@/wire/FindingState';

const order: Record<FindingState, number> = { error: 0, warning: 1, ok: 2, optional: 3 };

export type CheckupGroup = { state: FindingState; title: string; findings: Finding[] };

const titles: Record<FindingState, string> = {
  error: 'Needs fixing',
  warning: 'Warnings',
  ok: 'OK',
  optional: 'Optional',
};

/** Problems first; groups without a finding are left out. */
export function groupFindings(findings: readonly Finding[]): CheckupGroup[] {
  const states: FindingState[] = ['error', 'warning', 'ok', 'optional'];
  return states
    .sort((a, b) => order[a] - order[b])
    .map((state) => ({
      state,
      title: titles[state],
      findings: findings.filter((finding) => finding.state === state),
    }))
    .filter((group) => group.findings.length > 0);
}

export function summaryOf(findings: readonly Finding[]): string {
  const count = findings.filter(({ state }) => state === 'error' || state === 'warning').length;
  if (count === 0) return 'Everything is OK';
  return count === 1 ? '1 thing needs attention' : `${count} things need attention`;
}

/** The command line in a hint, if it holds one: in backquotes, or at its start. */
export function commandIn(hint: string): string | null {
  const quoted = /`([^`\n]+)`/.exec(hint)?.[1];
  if (quoted && /\s|^amelia$/.test(quoted)) return quoted;
  const start = /^(?:run\s+)?((?:amelia|npm|git|gh|brew|apt|cargo|codex|claude)\s[^,;.]+)/i.exec(
    hint,
  );
  return start?.[1]?.trim() ?? null;
}

import { CircleCheck, CircleDashed, CircleX, TriangleAlert } from 'lucide-react';
import { reaching } from '@/model/cli/cli';
import { commandIn } from '@/model/settings/checkup';
import { CodedText } from '@/ui/coded-text';
import { CopyButton } from '@/ui/copy-button';
import type { Finding } from '@/wire/Finding';
import type { FindingState } from '@/wire/FindingState';

type FindingRowProps = { finding: Finding };

const states: Record<FindingState, { icon: React.ReactNode; word: string; text: string }> = {
  ok: { icon: <CircleCheck className="text-done" />, word: 'ok', text: 'text-done' },
  optional: {
    icon: <CircleDashed className="text-subtle" />,
    word: 'optional',
    text: 'text-muted',
  },
  warning: {
    icon: <TriangleAlert className="text-needs-you" />,
    word: 'warning',
    text: 'text-needs-you',
  },
  error: { icon: <CircleX className="text-failed" />, word: 'error', text: 'text-failed' },
};

/** One thing that was looked at: how it is, and what to do. */
export function FindingRow({ finding }: FindingRowProps) {
  const { icon, word, text } = states[finding.state];
  const { hint } = finding;
  const found = hint ? commandIn(hint) : null;
  const command = found ? reaching(found) : null;
  return (
    <li className="flex items-start gap-3 border-t border-line px-4 py-2.5 first:border-t-0">
      <span aria-hidden className="mt-0.5 [&_svg]:size-4">
        {icon}
      </span>
      <div className="grid min-w-0 flex-1 gap-x-4 gap-y-0.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
        <p>
          <span className="font-medium">{finding.name}</span>{' '}
          <span className={`text-xs ${text}`}>{word}</span>
        </p>
        <div className="min-w-0">
          <p className="text-pretty wrap-anywhere">
            <CodedText>{finding.message}</CodedText>
          </p>
          {hint && (
            <p className="text-xs text-pretty wrap-anywhere text-muted">
              <CodedText>{reaching(hint)}</CodedText>
            </p>
          )}
          {command && (
            <div className="mt-1.5 flex max-w-130 items-center gap-2 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2.5">
              <code className="min-w-0 flex-1 py-1 text-xs wrap-anywhere text-code-fg">
                {command}
              </code>
              <CopyButton text={command} label={`Copy ${command}`} />
            </div>
          )}
        </div>
      </div>
    </li>
  );
}

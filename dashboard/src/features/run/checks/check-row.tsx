import { Check, CircleHelp, TimerOff, X } from 'lucide-react';
import { shown } from '@/lib/visible';
import { Badge } from '@/ui/badge';
import { CodeBlock } from '@/ui/code-block';
import { Collapsible } from '@/ui/collapsible';
import { CopyButton } from '@/ui/copy-button';
import { Duration } from '@/ui/duration';
import type { CheckResult } from '@/wire/log/CheckResult';

type CheckRowProps = { check: CheckResult };

export function CheckRow({ check }: CheckRowProps) {
  const { icon, word, tone } = outcome(check);
  return (
    <li className="border-t border-line px-1.5 py-1 first:border-t-0">
      <Collapsible
        defaultOpen={!check.passed}
        title={
          <span className="flex min-w-0 items-center gap-2">
            {icon}
            <span className="shrink-0 font-medium">{shown(check.name)}</span>
            <code className="truncate text-xs text-muted">{shown(check.command)}</code>
          </span>
        }
        meta={
          <>
            <Badge tone={tone}>{word}</Badge>
            <Duration ms={check.duration_ms} className="max-md:hidden" />
          </>
        }
      >
        <div className="flex items-center gap-1 pr-2 text-xs text-muted">
          <code className="min-w-0 flex-1 wrap-anywhere">$ {shown(check.command)}</code>
          <CopyButton text={check.command} label="Copy command" />
        </div>
        {check.output.trim() === '' ? (
          <p className="text-sm text-muted">No output.</p>
        ) : (
          <CodeBlock code={shown(check.output)} wrap maxHeight={360} />
        )}
      </Collapsible>
    </li>
  );
}

function outcome(check: CheckResult) {
  if (check.passed)
    return {
      icon: <Check aria-hidden className="size-4 text-done" />,
      word: 'passed',
      tone: 'done',
    } as const;
  if (check.interrupted)
    return {
      icon: <CircleHelp aria-hidden className="size-4 text-needs-you" />,
      word: 'interrupted',
      tone: 'needs-you',
    } as const;
  if (check.timed_out)
    return {
      icon: <TimerOff aria-hidden className="size-4 text-failed" />,
      word: 'timed out',
      tone: 'failed',
    } as const;
  return {
    icon: <X aria-hidden className="size-4 text-failed" />,
    word: check.exit_code == null ? 'failed: killed' : `failed with exit code ${check.exit_code}`,
    tone: 'failed',
  } as const;
}

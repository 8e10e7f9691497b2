import { useState } from 'react';
import { formatMoney } from '@/lib/format';
import { resultFacts, resultTitle } from '@/model/run/result';
import { Collapsible } from '@/ui/collapsible';
import { Markdown } from '@/ui/markdown';
import type { RunOutcome } from '@/wire/RunOutcome';

type ResultDetailsProps = {
  outcome: RunOutcome;
  /** There is nothing else to look at. */
  isWhole: boolean;
};

/** The summary of a completed run, which names its tasks and what was deferred, and its cost. */
export function ResultDetails({ outcome, isWhole }: ResultDetailsProps) {
  const [isOpen, setOpen] = useState(isWhole);
  const title = resultTitle(outcome);
  if (title === null) return null;
  return (
    <Collapsible
      title={isOpen ? 'Summary' : title}
      meta={resultFacts(outcome, formatMoney).join(' · ')}
      open={isOpen}
      onOpenChange={setOpen}
      className="-mx-1.5 w-full min-w-0"
    >
      <div className="max-h-64 overflow-y-auto text-sm wrap-anywhere">
        <Markdown text={outcome.summary ?? ''} />
      </div>
    </Collapsible>
  );
}

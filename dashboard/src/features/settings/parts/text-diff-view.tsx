import { useMemo } from 'react';
import { Diff, Hunk } from 'react-diff-view';
import { hunksBetween } from '@/model/diff/text-diff';
import '@/features/settings/parts/text-diff-view.css';

type TextDiffViewProps = {
  before: string;
  after: string;
  /** What is compared, for screen readers. */
  label: string;
  /** Beyond this height it scrolls. */
  maxHeight?: string;
};

/** What changed between two texts, line by line. */
export default function TextDiffView({ before, after, label, maxHeight }: TextDiffViewProps) {
  const hunks = useMemo(() => hunksBetween(before, after), [before, after]);
  if (hunks.length === 0) return <p className="px-1 py-3 text-sm text-muted">No differences.</p>;
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      className="text-diff scroll-quiet overflow-auto rounded-md border border-line bg-panel focus-visible:-outline-offset-2"
      style={maxHeight === undefined ? undefined : { maxHeight }}
    >
      <Diff viewType="unified" diffType="modify" hunks={hunks}>
        {(all) => all.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
      </Diff>
    </section>
  );
}

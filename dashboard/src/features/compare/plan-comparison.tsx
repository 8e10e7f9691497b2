import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import { usePlan } from '@/api/runs';
import { cn } from '@/lib/cn';
import { plural } from '@/lib/format';
import {
  type ComparedLine,
  compareLines,
  foldLines,
  type LineBlock,
} from '@/model/diff/compare-lines';
import { Card } from '@/ui/card';
import { CodedText } from '@/ui/coded-text';
import { Collapsible } from '@/ui/collapsible';
import { Markdown } from '@/ui/markdown';
import { Skeleton } from '@/ui/skeleton';
import type { Compared } from '@/wire/Compared';

type PlanComparedProps = { compared: Compared };

/** The two plans: one when they are the same, otherwise line by line. */
export function PlanComparison({ compared }: PlanComparedProps) {
  const a = usePlan(compared.a.id);
  const b = usePlan(compared.b.id);
  const error = a.error ?? b.error;
  const isSame = !compared.different.includes('plan');
  const title = (
    <span className="flex items-center gap-2">
      {!isSame && <span aria-hidden className="size-1.5 rounded-full bg-needs-you" />}
      Plan
    </span>
  );
  return (
    <div id="compare-plan" className="scroll-mt-4">
      <Card title={title}>
        {error ? (
          <p role="alert" className="text-sm text-failed">
            The plans could not be read: <CodedText>{error.message}</CodedText>
          </p>
        ) : a.data === undefined || b.data === undefined ? (
          <Skeleton lines={5} />
        ) : (
          <Plans a={a.data} b={b.data} isSame={isSame} />
        )}
      </Card>
    </div>
  );
}

type PlansProps = { a: string | null; b: string | null; isSame: boolean };

function Plans({ a, b, isSame }: PlansProps) {
  if (a === null && b === null)
    return <p className="text-sm text-muted">Neither run has a plan yet.</p>;
  if (a === null || b === null) {
    const side = a === null ? 'B' : 'A';
    return <Whole title={`Only ${side} has a plan`} text={a ?? b ?? ''} />;
  }
  if (isSame) return <Whole title="Both runs have the same plan" text={a} />;
  const lines = compareLines(a, b);
  const count = (side: 'a' | 'b') => lines.filter((line) => line.in === side).length;
  return (
    <>
      <p className="mb-2 text-xs text-muted">
        {plural(count('a'), 'line')} only in <strong className="text-diff-del-fg">A</strong>,{' '}
        {plural(count('b'), 'line')} only in <strong className="text-diff-add-fg">B</strong>
      </p>
      <div className="overflow-hidden rounded-md border border-line font-mono text-xs leading-5">
        {foldLines(lines).map((stretch) => (
          <Part key={stretch.from} stretch={stretch} />
        ))}
      </div>
    </>
  );
}

function Whole({ title, text }: { title: string; text: string }) {
  return (
    <Collapsible title={title} className="-ml-1.5">
      <Markdown text={text} />
    </Collapsible>
  );
}

function Part({ stretch }: { stretch: LineBlock }) {
  const [isOpen, setOpen] = useState(!stretch.isFolded);
  if (!isOpen) {
    return (
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex h-7 w-full items-center gap-2 bg-diff-hunk px-3 text-diff-hunk-fg hover:bg-hover focus-visible:-outline-offset-2"
      >
        <ChevronsUpDown aria-hidden className="size-3.5" />
        {plural(stretch.lines.length, 'unchanged line')}
      </button>
    );
  }
  return stretch.lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place.
    <Line key={index} line={line} />
  ));
}

const signs = { both: ' ', a: '−', b: '+' };

function Line({ line }: { line: ComparedLine }) {
  return (
    <div
      className={cn(
        'flex min-h-5 px-3',
        line.in === 'a' && 'bg-diff-del',
        line.in === 'b' && 'bg-diff-add',
      )}
    >
      <span aria-hidden className="w-4 shrink-0 text-subtle select-none">
        {signs[line.in]}
      </span>
      {line.in !== 'both' && <span className="sr-only">only in {line.in.toUpperCase()}: </span>}
      <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">{line.text}</span>
    </div>
  );
}

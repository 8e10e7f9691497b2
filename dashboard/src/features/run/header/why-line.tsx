import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { CodedText } from '@/ui/coded-text';
import { StatusDot } from '@/ui/status-dot';
import { type StatusToken, statusTones } from '@/ui/tones';

type WhyLineProps = {
  tone: StatusToken;
  title: string;
  message: string;
  children?: ReactNode;
};

/** With a full stop at its end: more text follows. */
const closed = (message: string) => (/[.?!:…]\s*$/.test(message) ? message : `${message}.`);

/** In one sentence or two, why the run stands still. */
export function WhyLine({ tone, title, message, children }: WhyLineProps) {
  return (
    <div className="flex min-w-0 flex-1 basis-72 items-start gap-2.5">
      <StatusDot status={tone} live={false} className="mt-1.5" />
      <p className="min-w-0 text-sm text-pretty wrap-anywhere whitespace-pre-line">
        <span className={cn('font-semibold', statusTones[tone].text)}>{title}</span>{' '}
        <CodedText>{closed(message)}</CodedText>
        {children}
      </p>
    </div>
  );
}

// What a person writes beside a plan or a change before it is sent, and the one message that is made of it.

import { quotedLines } from './quote';

export type PlanPlace = {
  kind: 'plan';
  revision: number | null;
  /** Lines of the Markdown, from 1. */
  start: number;
  end: number;
  section: string;
  quote: string;
};

export type DiffPlace = {
  kind: 'diff';
  path: string;
  side: 'old' | 'new';
  line: number;
  quote: string;
};

export type CommentPlace = PlanPlace | DiffPlace;

export type Comment = {
  id: string;
  place: CommentPlace;
  text: string;
  at: string;
  /** When it went out; then it is not changed any more. */
  sentAt: string | null;
};

/** One name for each place, so that two comments on it stand together. */
export function placeKey(place: CommentPlace): string {
  return place.kind === 'plan'
    ? `${place.start}-${place.end}`
    : `${place.path}:${place.side}:${place.line}`;
}

export function placeLabel(place: CommentPlace): string {
  if (place.kind === 'plan') {
    const lines =
      place.start === place.end ? `line ${place.start}` : `lines ${place.start}–${place.end}`;
    return place.section ? `${place.section} (${lines})` : `Plan, ${lines}`;
  }
  return `${place.path}:${place.line}${place.side === 'old' ? ' (removed)' : ''}`;
}

/** As they stand on the page: by place, then by time. */
export function inOrder(comments: Comment[]): Comment[] {
  return [...comments].sort((a, b) => {
    if (a.place.kind === 'plan' && b.place.kind === 'plan') return a.place.start - b.place.start;
    if (a.place.kind === 'diff' && b.place.kind === 'diff')
      return a.place.path.localeCompare(b.place.path) || a.place.line - b.place.line;
    return 0;
  });
}

const whole = (pieces: string[]) => pieces.filter((piece) => piece !== '').join('\n\n');

/** The feedback by which changes of a plan are requested. */
export function planFeedback(comments: Comment[], note: string): string {
  const pieces = inOrder(comments).map(
    ({ place, text }) => `On ${placeLabel(place)}:\n${quotedLines(place.quote, 4)}\n${text.trim()}`,
  );
  return whole([note.trim(), ...pieces]);
}

/** The message to the Developer. */
export function diffMessage(comments: Comment[], note: string): string {
  const pieces = inOrder(comments).map(
    ({ place, text }) => `${placeLabel(place)}\n${quotedLines(place.quote, 4)}\n${text.trim()}`,
  );
  const head =
    comments.length === 0
      ? ''
      : comments.length === 1
        ? 'A comment on the change:'
        : `${comments.length} comments on the change:`;
  return whole([note.trim(), head, ...pieces]);
}

/** The headline of a run that takes the comments up. */
export function followUpTitle(title: string, comments: Comment[]): string {
  const [only] = comments;
  if (comments.length === 1 && only) {
    const line = only.text.trim().split('\n')[0] ?? '';
    return line.length <= 72 ? line : `${line.slice(0, 71)}…`;
  }
  return `Comments on: ${title}`;
}

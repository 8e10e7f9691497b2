// Moments worth a mark on the time slider, thinned out so that a long run has no more marks than there is room.

import type { Transcript, Visit } from '@/model/stream/transcript';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import type { TaskRef } from '@/wire/log/TaskRef';
import type { Mark, MarkKind } from './facts';

export type SliderMark = { seq: number; kind: MarkKind | 'checkpoint'; label: string; at: string };

/** What is kept when marks fall on one place: the first of these. */
const WEIGHT: SliderMark['kind'][] = [
  'failed',
  'rejected',
  'approved',
  'asked',
  'commit',
  'said',
  'ended',
  'resumed',
  'checkpoint',
];

export function sliderMarks(
  marks: readonly Mark[],
  checkpoints: readonly CheckpointSummary[],
): SliderMark[] {
  const points = checkpoints.map(
    ({ number, sequence, nodes, created_at }): SliderMark => ({
      seq: sequence,
      kind: 'checkpoint',
      label: `Checkpoint ${number}${nodes.length > 0 ? `, before ${nodes.join(', ')}` : ''}`,
      at: created_at,
    }),
  );
  return [...marks, ...points].sort((a, b) => a.seq - b.seq);
}

/** At most one mark for each of `places` places between the first event and `end`. */
export function thinned(marks: readonly SliderMark[], end: number, places: number): SliderMark[] {
  const kept = new Map<number, SliderMark>();
  for (const mark of marks) {
    if (mark.seq > end) continue;
    const place = Math.round((mark.seq / Math.max(end, 1)) * places);
    const other = kept.get(place);
    if (!other || WEIGHT.indexOf(mark.kind) < WEIGHT.indexOf(other.kind)) kept.set(place, mark);
  }
  return [...kept.values()];
}

/** The next mark in this direction; `null` when there is none. */
export function markBeside(
  marks: readonly SliderMark[],
  seq: number,
  direction: 1 | -1,
): SliderMark | null {
  const found =
    direction === 1
      ? marks.find((mark) => mark.seq > seq)
      : marks.findLast((mark) => mark.seq < seq);
  return found ?? null;
}

/** `12 · before develop, task 2: Document the usage`. */
export function checkpointName(one: CheckpointSummary, transcript: Transcript): string {
  const name = `${one.number} · before ${one.nodes.join(', ') || 'the end'}`;
  const task = taskFrom(one, transcript);
  return task ? `${name}, task ${task.index + 1}: ${task.title}` : name;
}

/** The task of the stage that was under way then, or came next. */
function taskFrom({ sequence, nodes }: CheckpointSummary, transcript: Transcript): TaskRef | null {
  const visits = [...transcript.visits.values()].filter(({ node }) => nodes.includes(node));
  const isUnderWay = ({ fromSeq, toSeq }: Visit) =>
    fromSeq <= sequence && (toSeq === null || toSeq > sequence);
  const visit = visits.find(isUnderWay) ?? visits.find(({ fromSeq }) => fromSeq > sequence);
  return visit?.task ?? null;
}

/** The last checkpoint at or before `seq`: where a fork from there begins. */
export function checkpointAt(
  checkpoints: readonly CheckpointSummary[],
  seq: number | null,
): CheckpointSummary | null {
  return checkpoints.findLast(({ sequence }) => seq === null || sequence <= seq) ?? null;
}

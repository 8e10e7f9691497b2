import {
  Bot,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CircleX,
  FileCheck,
  Flag,
  GitCommitHorizontal,
  Info,
  ListChecks,
  type LucideIcon,
  MessageSquareReply,
  Scale,
  SearchCheck,
  UserRound,
} from 'lucide-react';
import { nameOf } from '@/model/event/event';
import type { StatusToken } from '@/ui/tones';
import type { LogEvent } from '@/wire/LogEvent';

export type NoteStyle = { icon: LucideIcon; tone: StatusToken | null };

const NOTE_STYLES: Record<string, NoteStyle> = {
  'run.completed': { icon: CircleCheck, tone: 'done' },
  'run.failed': { icon: CircleX, tone: 'failed' },
  'run.cancelled': { icon: CircleX, tone: 'cancelled' },
  'human.requested': { icon: CircleHelp, tone: 'needs-you' },
  'human.replied': { icon: MessageSquareReply, tone: null },
  'human.intervened': { icon: UserRound, tone: null },
  'plan.validated': { icon: FileCheck, tone: 'done' },
  'plan.refused': { icon: CircleAlert, tone: 'needs-you' },
  'task.started': { icon: Flag, tone: null },
  'task.completed': { icon: CircleCheck, tone: 'done' },
  'task.failed': { icon: CircleX, tone: 'failed' },
  'task.committed': { icon: GitCommitHorizontal, tone: 'done' },
  'review.evaluated': { icon: Scale, tone: 'done' },
  'review.revision_requested': { icon: Scale, tone: 'needs-you' },
  'agent.finished': { icon: Bot, tone: 'failed' },
};

/** How a note is drawn: its sign and its colour. */
export function lookOf(event: LogEvent): NoteStyle {
  const { kind } = event;
  if ('task' in kind && 'checked' in kind.task) {
    const isGood = kind.task.checked.checks.every((check) => check.passed);
    return { icon: ListChecks, tone: isGood ? 'done' : 'failed' };
  }
  if ('review' in kind && 'completed' in kind.review) {
    return {
      icon: SearchCheck,
      tone: kind.review.completed.review.approved ? 'done' : 'needs-you',
    };
  }
  const known = NOTE_STYLES[nameOf(event)];
  if (known) return known;
  const level = event.level;
  if (level === 'error') return { icon: CircleX, tone: 'failed' };
  return { icon: level === 'warning' ? CircleAlert : Info, tone: null };
}

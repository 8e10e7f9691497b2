import { cn } from '@/lib/cn';
import { formatClock, formatDateTime } from '@/lib/format';
import { noteLabel } from '@/model/event/answer-label';
import { sentence } from '@/model/event/words';
import { statusTones } from '@/ui/tones';
import type { LogEvent } from '@/wire/LogEvent';
import type { HumanRequest } from '@/wire/log/HumanRequest';
import { FoldLine } from './fold-line';
import { detailsOf } from './note-details';
import { lookOf } from './note-style';

type NoteRowProps = {
  event: LogEvent;
  asked: HumanRequest | null;
  isOpen: boolean;
  onToggle: () => void;
};

/** Something that happened: a check, a review, a commit, a question, an answer. */
export function NoteRow({ event, asked, isOpen, onToggle }: NoteRowProps) {
  const { icon: Icon, tone } = lookOf(event);
  const details = detailsOf(event, asked);
  const words = noteLabel(event, asked);
  const title = sentence(words);
  const clock = (
    <time dateTime={event.at} title={formatDateTime(event.at)}>
      {formatClock(event.at)}
    </time>
  );
  const look = cn(
    'my-0.5 rounded-md',
    tone && statusTones[tone].soft,
    tone && statusTones[tone].text,
  );
  if (!details) {
    return (
      <div className={cn(look, 'flex min-h-7 items-center gap-2 px-1.5 text-xs')}>
        <Icon aria-hidden className={cn('size-3.5 shrink-0', !tone && 'text-subtle')} />
        <span className={cn('min-w-0 flex-1 wrap-anywhere', !tone && 'text-muted')}>{title}</span>
        <span className="tabular shrink-0 text-2xs text-subtle">{clock}</span>
      </div>
    );
  }
  return (
    <div className={look}>
      <FoldLine
        isOpen={isOpen}
        onToggle={onToggle}
        icon={<Icon className={tone ? statusTones[tone].text : ''} />}
        title={<span className="min-w-0 truncate font-medium">{title}</span>}
        meta={clock}
      >
        <div className="text-fg">{details}</div>
      </FoldLine>
    </div>
  );
}

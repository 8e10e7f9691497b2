import { MessagesSquare } from 'lucide-react';
import type { RunLog } from '@/model/run/run-log';
import type { SessionItem } from '@/model/trace/session';
import { agentName } from '@/ui/agent-token';
import { Button } from '@/ui/button';
import { ItemContent } from '../stream/item-content';

type SessionRowProps = SessionItem & {
  log: RunLog;
  at: number | null;
  isOpen: boolean;
  onToggle: () => void;
  onOpen: (session: string) => void;
};

/** A message or a call of a conversation; under a call, the way to the sub-agent that it started. */
export function SessionRow(props: SessionRowProps) {
  const { log, at, item, usage, isOver, isOpen, onToggle, onOpen } = props;
  const call = item.kind === 'call' ? item : null;
  const isBack = call !== null && (at === null || (call.endSeq !== null && call.endSeq <= at));
  const result = isBack ? call.result : null;
  const isUnanswered = call !== null && result === null;
  const sub = call && log.transcript.subSessions.of(call);
  return (
    <div className="px-3.5 py-0.5">
      <ItemContent
        item={item}
        result={result}
        usage={usage}
        isLost={isUnanswered && isOver}
        isRunning={isUnanswered && !isOver && at === null}
        isOpen={isOpen}
        onToggle={onToggle}
      />
      {sub && (
        <Button
          size="sm"
          variant="ghost"
          icon={<MessagesSquare />}
          onClick={() => onOpen(sub.id)}
          className="ml-5"
        >
          Read the messages of {agentName(sub.agent)}
        </Button>
      )}
    </div>
  );
}

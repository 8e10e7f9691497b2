import { Bot, ChevronRight, CirclePlay, Layers, MessageSquare, MessagesSquare } from 'lucide-react';
import { cn } from '@/lib/cn';
import { plural } from '@/lib/format';
import type { TraceNode } from '@/model/trace/trace-node';
import type { TraceRow } from '@/model/trace/trace-rows';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentName, agentToken } from '@/ui/agent-token';
import { Badge } from '@/ui/badge';
import { IconButton } from '@/ui/icon-button';
import { SeqLink } from '../seq-link';
import { ToolIcon } from '../stream/tool-icon';
import { TraceStatus } from './trace-status';

type TraceLabelProps = {
  run: string;
  row: TraceRow;
  /** There is little room: only the name, and what failed. */
  isCompact: boolean;
  onToggle: () => void;
  onRead: (session: string) => void;
};

/** Deeper rows do not move further in: a name needs room on a phone, too. */
const MAX_INDENT = 8;

/** The name of a node, with what opens it; it leads to the event in the stream. */
export function TraceLabel({ run, row, isCompact, onToggle, onRead }: TraceLabelProps) {
  const { node, depth, isOpen } = row;
  const opens = node.children !== null && node.kind !== 'run';
  const about = isCompact ? null : node.about;
  const name = node.kind === 'session' ? agentName(node.label) : node.label;
  return (
    <span
      className={cn(
        'flex min-w-0 items-center gap-1.5 self-stretch max-md:gap-1 max-md:[--indent:0.375rem]',
        isCompact && 'gap-1 [--indent:0.375rem]',
      )}
      style={{ paddingLeft: `calc(${Math.min(depth, MAX_INDENT)} * var(--indent, 0.75rem))` }}
    >
      {opens ? (
        <button
          type="button"
          data-fold
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Close' : 'Open'} ${name}`}
          onClick={onToggle}
          className="flex size-4 shrink-0 items-center justify-center rounded-sm text-subtle hover:bg-pressed max-md:size-7"
        >
          <ChevronRight aria-hidden className={cn('size-3', isOpen && 'rotate-90')} />
        </button>
      ) : (
        <span className="w-4 shrink-0 max-md:w-7" />
      )}
      <TraceStatus outcome={node.outcome} isHidden={isCompact} />
      <SeqLink
        run={run}
        seq={node.seq}
        className="flex min-w-0 flex-1 items-center gap-1.5 self-stretch rounded-sm"
      >
        <span aria-hidden className="flex shrink-0 text-subtle [&_svg]:size-3.5">
          <Icon node={node} />
        </span>
        <span
          className={cn(
            'min-w-0 truncate text-xs',
            LOOKS[node.kind],
            about && 'max-w-3/5 shrink-0',
            isCompact && node.outcome === 'bad' && 'text-failed',
          )}
          title={node.label}
        >
          {name}
        </span>
        {node.count > 1 && <span className="tabular text-2xs text-subtle">×{node.count}</span>}
        {about && (
          <span
            title={about}
            className={cn(
              'min-w-0 flex-1 truncate text-2xs',
              node.outcome === 'bad' ? 'text-failed' : 'text-muted',
            )}
          >
            {about}
          </span>
        )}
      </SeqLink>
      {node.errors > 0 && node.kind !== 'call' && (
        <Badge tone="failed" className="h-4 px-1" title={plural(node.errors, 'failed call')}>
          {node.errors}
          <span className="sr-only"> failed</span>
        </Badge>
      )}
      {node.session && !isCompact && (
        <ReadButton session={node.session} name={name} onRead={onRead} />
      )}
    </span>
  );
}

const LOOKS: Record<TraceNode['kind'], string> = {
  run: 'font-medium',
  stage: 'font-medium',
  session: 'font-medium',
  turn: '',
  call: 'font-mono text-2xs',
};

type ReadButtonProps = { session: string; name: string; onRead: (session: string) => void };

function ReadButton({ session, name, onRead }: ReadButtonProps) {
  return (
    <IconButton
      aria-label={`Read the messages of ${name}`}
      size="sm"
      icon={<MessagesSquare />}
      onClick={() => onRead(session)}
      className="-my-1"
    />
  );
}

function Icon({ node }: { node: TraceNode }) {
  switch (node.kind) {
    case 'run':
      return <CirclePlay />;
    case 'stage':
      return <Layers />;
    case 'session':
      return node.agent ? (
        <AgentAvatar
          agent={agentToken(node.agent)}
          name={node.agent}
          size="sm"
          className="scale-80"
        />
      ) : (
        <Bot />
      );
    case 'turn':
      return <MessageSquare />;
    case 'call':
      return <ToolIcon tool={node.label} />;
  }
}

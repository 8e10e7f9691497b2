import { Bot, ChevronRight, CirclePlay, Layers, MessageSquare } from 'lucide-react';
import { cn } from '@/lib/cn';
import type { TraceNode } from '@/model/trace/trace';
import type { TraceRow } from '@/model/trace/trace-rows';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '@/ui/agent-token';
import { ToolIcon } from '../stream/tool-icon';

type TraceLabelProps = { row: TraceRow; onToggle: () => void };

/** The name of a node, with what opens it. */
export function TraceLabel({ row, onToggle }: TraceLabelProps) {
  const { node, depth, isOpen } = row;
  const opens = node.children !== null && node.kind !== 'run';
  return (
    <span className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: depth * 12 }}>
      {opens ? (
        <button
          type="button"
          data-fold
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Close' : 'Open'} ${node.label}`}
          onClick={onToggle}
          className="flex size-4 shrink-0 items-center justify-center rounded-sm text-subtle hover:bg-pressed"
        >
          <ChevronRight aria-hidden className={cn('size-3', isOpen && 'rotate-90')} />
        </button>
      ) : (
        <span className="w-4 shrink-0" />
      )}
      <span aria-hidden className="flex shrink-0 text-subtle [&_svg]:size-3.5">
        <Icon node={node} />
      </span>
      <span
        className={cn(
          'truncate text-xs',
          (node.kind === 'run' || node.kind === 'stage') && 'font-medium',
          node.outcome === 'bad' && node.kind === 'call' && 'text-failed',
        )}
        title={node.label}
      >
        {node.label}
      </span>
      {node.count > 1 && <span className="tabular text-2xs text-subtle">×{node.count}</span>}
    </span>
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

import { Brain, MessageSquareText } from 'lucide-react';
import { formatDuration, formatMoney, formatTokens } from '@/lib/format';
import { oneLine, promptLine } from '@/model/event/words';
import { tokensOf } from '@/model/run/run-view';
import { agentName } from '@/ui/agent-token';
import { Markdown } from '@/ui/markdown';
import type { Usage } from '@/wire/log/Usage';
import { FoldLine } from './fold-line';
import { PromptBody } from './prompt-body';

/** Anything that Markdown would draw differently; most turns are a plain sentence, which needs no parser. */
const MARKUP = /[*_`#[\]|<>~\\&]|\n|https?:|www\.|^\s*(?:[-+]|\d+[.)])\s/;

type TextRowProps = { text: string; usage: Usage | null };

/** What an agent said. */
export function TextRow({ text, usage }: TextRowProps) {
  return (
    <div className="py-1 pr-1.5 pl-1.5">
      {MARKUP.test(text) ? (
        <Markdown text={text} className="text-sm" />
      ) : (
        <p className="prose text-sm wrap-anywhere whitespace-pre-wrap">{text}</p>
      )}
      {usage && <UsageLine usage={usage} />}
    </div>
  );
}

function UsageLine({ usage }: { usage: Usage }) {
  const parts = [
    usage.cost_usd == null ? null : formatMoney(usage.cost_usd),
    `${formatTokens(tokensOf(usage))} tokens`,
    usage.duration_ms == null ? null : formatDuration(usage.duration_ms),
    usage.model ?? null,
  ].filter((part) => part !== null);
  return <p className="tabular mt-0.5 text-2xs text-subtle">{parts.join(' · ')}</p>;
}

type FoldedRowProps = { text: string; isOpen: boolean; onToggle: () => void };

/** What an agent thought: folded and quiet. */
export function ThinkingRow({ text, isOpen, onToggle }: FoldedRowProps) {
  return (
    <FoldLine
      isOpen={isOpen}
      onToggle={onToggle}
      icon={<Brain />}
      isDim
      title={<span className="min-w-0 truncate italic">{isOpen ? 'Thought' : oneLine(text)}</span>}
    >
      <p className="text-xs leading-5 text-pretty wrap-anywhere whitespace-pre-wrap text-muted">
        {text}
      </p>
    </FoldLine>
  );
}

/** What an agent received. */
export function PromptRow({ agent, text, isOpen, onToggle }: FoldedRowProps & { agent: string }) {
  return (
    <FoldLine
      isOpen={isOpen}
      onToggle={onToggle}
      icon={<MessageSquareText />}
      title={
        <span className="min-w-0 truncate">
          <span className="font-medium text-muted">Prompt to {agentName(agent)}:</span>{' '}
          <span className="text-subtle">{promptLine(text)}</span>
        </span>
      }
    >
      <PromptBody text={text} />
    </FoldLine>
  );
}

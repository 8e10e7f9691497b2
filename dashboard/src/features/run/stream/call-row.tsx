import { CircleX, LoaderCircle, Unplug } from 'lucide-react';
import { cn } from '@/lib/cn';
import { formatDuration, formatMoney } from '@/lib/format';
import { errorWord, hasFailed } from '@/model/event/tool-result';
import { brief } from '@/model/event/words';
import { Badge } from '@/ui/badge';
import { Delayed } from '@/ui/delayed';
import type { ToolCall } from '@/wire/log/ToolCall';
import type { ToolResult } from '@/wire/log/ToolResult';
import type { Usage } from '@/wire/log/Usage';
import { FoldLine } from './fold-line';
import { LongCode } from './long-code';
import { ToolIcon } from './tool-icon';

type CallRowProps = {
  call: ToolCall;
  result: ToolResult | null;
  /** Of the turn that called it, when that has no words of its own. */
  usage: Usage | null;
  /** It is running now. */
  isRunning: boolean;
  /** Its stage, or the run, has ended without a result. */
  isLost: boolean;
  isOpen: boolean;
  onToggle: () => void;
};

export function CallRow(props: CallRowProps) {
  const { call, result, usage, isRunning, isLost, isOpen, onToggle } = props;
  const said = brief(call).slice(call.tool.length).trim();
  return (
    <FoldLine
      isOpen={isOpen}
      onToggle={onToggle}
      icon={<Status result={result} isRunning={isRunning} tool={call.tool} />}
      title={
        <>
          <span className="shrink-0 font-medium">{call.tool}</span>
          <span className="min-w-0 truncate font-mono text-2xs text-muted">{said}</span>
          {result?.error != null && (
            <Badge tone={hasFailed(result) ? 'failed' : 'paused'} className="max-w-40">
              <span className="truncate">{errorWord(result)}</span>
            </Badge>
          )}
          {isLost && <Badge>no answer</Badge>}
        </>
      }
      meta={
        <>
          {usage?.cost_usd != null && <span>{formatMoney(usage.cost_usd)}</span>}
          {result?.duration_ms != null && <span>{formatDuration(result.duration_ms)}</span>}
        </>
      }
    >
      <div className="flex flex-col gap-2">
        <Input call={call} />
        {result && <Output result={result} tool={call.tool} />}
      </div>
    </FoldLine>
  );
}

type StatusProps = { result: ToolResult | null; isRunning: boolean; tool: string };

function Status({ result, isRunning, tool }: StatusProps) {
  if (result?.error != null)
    return hasFailed(result) ? (
      <CircleX className="text-failed" />
    ) : (
      <Unplug className="text-paused" />
    );
  if (isRunning) {
    return (
      <Delayed early={<ToolIcon tool={tool} />}>
        <LoaderCircle className="animate-spin text-running" />
      </Delayed>
    );
  }
  return <ToolIcon tool={tool} />;
}

function Input({ call }: { call: ToolCall }) {
  const { command } = call.args;
  if (typeof command === 'string' && Object.keys(call.args).length === 1) {
    return <LongCode code={command} language="bash" title="Command" />;
  }
  if (Object.keys(call.args).length === 0) return null;
  return <LongCode code={JSON.stringify(call.args, null, 2)} language="json" title="Input" />;
}

function Output({ result, tool }: { result: ToolResult; tool: string }) {
  const { output, error, exit_code } = result;
  const isDiff = output.startsWith('--- ') || output.startsWith('diff --git');
  const title = exit_code == null ? 'Output' : `Output, exit code ${exit_code}`;
  return (
    <>
      {error != null && (
        <p
          className={cn(
            'rounded-md px-3 py-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap',
            hasFailed(result) ? 'bg-failed-soft text-failed' : 'bg-paused-soft text-paused',
          )}
        >
          {tool}: {error}
        </p>
      )}
      {output !== '' && (
        <LongCode code={output} title={title} {...(isDiff ? { language: 'diff' } : {})} />
      )}
      {output === '' && error == null && <p className="text-xs text-subtle">No output.</p>}
    </>
  );
}

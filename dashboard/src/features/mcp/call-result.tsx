import { formatDuration } from '@/lib/format';
import { CodeBlock } from '@/ui/code-block';
import { CodedText } from '@/ui/coded-text';
import type { McpCallResult } from '@/wire/McpCallResult';

type CallResultProps = { result: McpCallResult | undefined; error: Error | null };

/** What came of a call. */
export function CallResult({ result, error }: CallResultProps) {
  const failure = error?.message ?? result?.error;
  const time = result?.duration_ms;
  return (
    <div aria-live="polite" className="flex flex-col gap-2">
      {failure && (
        <p className="text-sm text-pretty whitespace-pre-line wrap-anywhere text-failed">
          <CodedText>{failure}</CodedText>
        </p>
      )}
      {result && !result.error && (
        <p className="text-xs text-done">
          Succeeded{time == null ? '' : ` in ${formatDuration(time)}`}
        </p>
      )}
      {result && result.output !== '' && (
        <CodeBlock title="Output" code={result.output} wrap maxHeight={360} />
      )}
    </div>
  );
}

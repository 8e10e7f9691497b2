import { Badge } from '@/ui/badge';
import { CodeBlock } from '@/ui/code-block';
import { Collapsible } from '@/ui/collapsible';
import { VisibleText } from '@/ui/visible-text';
import type { McpToolShown } from '@/wire/McpToolShown';

type ToolRowProps = { tool: McpToolShown };

/** A tool: what it is for, and which arguments it takes. */
export function ToolRow({ tool }: ToolRowProps) {
  const { name, description, risk, timeout_seconds, fallback_tools, input_schema } = tool;
  const first = description.split('\n', 1)[0] ?? '';
  return (
    <li>
      <Collapsible
        title={
          <>
            <code className="font-medium">{name}</code>{' '}
            <span className="text-xs text-muted max-sm:hidden">
              <VisibleText>{first}</VisibleText>
            </span>
          </>
        }
        meta={<Badge tone={risk === 'read' ? 'done' : 'outline'}>{risk}</Badge>}
      >
        <div className="flex flex-col gap-2">
          <p className="text-sm text-pretty whitespace-pre-line wrap-anywhere">
            <VisibleText>{description}</VisibleText>
          </p>
          <p className="text-xs text-muted">
            Timeout: {timeout_seconds} s
            {fallback_tools.length > 0 && `. Fallbacks: ${fallback_tools.join(', ')}`}
          </p>
          <CodeBlock
            title="Input schema"
            language="json"
            code={JSON.stringify(input_schema, null, 2)}
            maxHeight={320}
          />
        </div>
      </Collapsible>
    </li>
  );
}

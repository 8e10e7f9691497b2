import { Plug } from 'lucide-react';
import { useConnect } from '@/api/mcp';
import { plural } from '@/lib/format';
import { definitionsCli } from '@/model/cli/cli-definitions';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { CliCommand } from '@/ui/cli-command';
import { CodeBlock } from '@/ui/code-block';
import { CodedText } from '@/ui/coded-text';
import { Collapsible } from '@/ui/collapsible';
import { VisibleText } from '@/ui/visible-text';
import type { McpServerShown } from '@/wire/McpServerShown';
import { ServerFacts } from './server-facts';
import { ServerStatus } from './server-status';
import { ToolRow } from './tool-row';
import { TryCall } from './try-call';

type ServerCardProps = { server: McpServerShown };

/** A server: how it stands, its tools, a call to try, and what it wrote. */
export function ServerCard({ server }: ServerCardProps) {
  const { name, description, status, problem, log } = server;
  const connect = useConnect();
  // A server of each run is not kept: its tools are those of the last answer.
  const tools = server.tools ?? connect.data?.items ?? null;
  const failure = connect.error?.message ?? problem;
  return (
    <Card
      title={name}
      actions={
        <>
          <ServerStatus status={status} />
          <CliCommand command={definitionsCli.tools(name)} size="sm" />
          {status !== 'disabled' && (
            <Button
              size="sm"
              icon={<Plug />}
              loading={connect.isPending}
              onClick={() => connect.mutate(name)}
            >
              {tools ? 'List tools again' : 'Connect'}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {description && (
          <p className="text-sm text-pretty text-muted">
            <VisibleText>{description}</VisibleText>
          </p>
        )}
        <ServerFacts server={server} />
        {failure && (
          <p
            role="alert"
            className="text-sm text-pretty whitespace-pre-line wrap-anywhere text-failed"
          >
            <CodedText>{failure}</CodedText>
          </p>
        )}
        {tools && (
          <Collapsible defaultOpen title={plural(tools.length, 'tool')}>
            <ul aria-label={`Tools of ${name}`} className="flex flex-col">
              {tools.map((tool) => (
                <ToolRow key={tool.name} tool={tool} />
              ))}
            </ul>
          </Collapsible>
        )}
        {tools && tools.length > 0 && (
          <Collapsible title="Try a call">
            <TryCall tools={tools} />
          </Collapsible>
        )}
        {log.length > 0 && (
          <Collapsible
            title="Log"
            meta={plural(log.length, 'line')}
            defaultOpen={status === 'failed'}
          >
            <CodeBlock code={log.join('\n')} wrap maxHeight={240} />
          </Collapsible>
        )}
      </div>
    </Card>
  );
}

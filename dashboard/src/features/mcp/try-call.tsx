import { Play } from 'lucide-react';
import { useState } from 'react';
import { useCallTool } from '@/api/mcp';
import { definitionsCli } from '@/model/cli/cli-definitions';
import { argumentsOf, emptyArguments } from '@/model/mcp/tool-call';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { Combobox } from '@/ui/combobox';
import { Field } from '@/ui/field';
import { Textarea } from '@/ui/textarea';
import type { McpToolShown } from '@/wire/McpToolShown';
import { CallResult } from './call-result';

type TryCallProps = { tools: readonly McpToolShown[] };

/** One call with arguments in JSON, outside of any run. */
export function TryCall({ tools }: TryCallProps) {
  const [chosen, setChosen] = useState(tools[0]?.name ?? '');
  const tool = tools.find(({ name }) => name === chosen) ?? tools[0];
  const [typed, setTyped] = useState<string | null>(null);
  const call = useCallTool();
  if (!tool) return null;
  const text = typed ?? emptyArguments(tool.input_schema);
  const read = argumentsOf(text);
  const choose = (name: string) => {
    setChosen(name);
    setTyped(null);
    call.reset();
  };
  const send = () => {
    if ('value' in read) call.mutate({ tool: tool.name, arguments: read.value });
  };
  return (
    <div className="flex flex-col gap-3">
      <Field label="Tool">
        {(control) => (
          <Combobox
            {...control}
            value={tool.name}
            onChange={choose}
            options={tools.map(({ name }) => ({ value: name, label: name }))}
          />
        )}
      </Field>
      <Field label="Arguments (JSON)" {...('error' in read ? { error: read.error } : {})}>
        {(control) => (
          <Textarea
            {...control}
            mono
            minRows={3}
            spellCheck={false}
            value={text}
            onChange={(event) => setTyped(event.target.value)}
            onSubmit={send}
          />
        )}
      </Field>
      <div className="flex items-center gap-2">
        <Button
          icon={<Play />}
          variant="primary"
          loading={call.isPending}
          disabled={'error' in read}
          onClick={send}
        >
          Call
        </Button>
        <CliCommand command={definitionsCli.call(tool.name, text)} />
        {tool.risk !== 'read' && (
          <p className="text-xs text-muted">This call can change something outside of Amelia.</p>
        )}
      </div>
      <CallResult result={call.data} error={call.error} />
    </div>
  );
}

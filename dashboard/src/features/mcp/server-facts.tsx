import { KeyValue } from '@/ui/key-value';
import type { McpServerShown } from '@/wire/McpServerShown';

type ServerFactsProps = { server: McpServerShown };

/** How a server is reached and configured. Secrets never come here. */
export function ServerFacts({ server }: ServerFactsProps) {
  const { transport, target, path, scope, source, trusted } = server;
  return (
    <KeyValue
      className="text-sm"
      items={[
        { label: 'Transport', value: transport },
        { label: transport === 'stdio' ? 'Program' : 'Address', value: target, mono: true },
        { label: 'Scope', value: scope === 'run' ? 'one for each run' : 'one for all runs' },
        ...(trusted
          ? [{ label: 'Trusted', value: 'it declares which of its tools are read-only' }]
          : []),
        source === 'api'
          ? { label: 'Source', value: 'sent to the API' }
          : { label: 'File', value: path, mono: true },
      ]}
    />
  );
}

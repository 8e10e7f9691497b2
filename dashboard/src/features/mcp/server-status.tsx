import { serverStatus } from '@/model/mcp/server-status';
import { StatusDot } from '@/ui/status-dot';
import { statusTones } from '@/ui/tones';
import type { McpStatus } from '@/wire/McpStatus';

type ServerStatusProps = { status: McpStatus };

export function ServerStatus({ status }: ServerStatusProps) {
  const { tone, word } = serverStatus[status];
  return (
    <span
      role="status"
      className={`inline-flex items-center gap-1.5 text-xs font-medium whitespace-nowrap ${statusTones[tone].text}`}
    >
      <StatusDot status={tone} />
      {word}
    </span>
  );
}

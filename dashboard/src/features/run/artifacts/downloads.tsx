import { Download } from 'lucide-react';
import { download } from '@/lib/download';
import { cli } from '@/model/cli/cli';
import type { RunLog } from '@/model/run/run-log';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import type { Diff } from '@/wire/Diff';

type DownloadsProps = { id: string; log: RunLog; diff: Diff | null; at: number | null };

export function Downloads({ id, log, diff, at }: DownloadsProps) {
  const short = id.slice(0, 13);
  const events = () => log.events.slice(0, at === null ? undefined : log.indexAfter(at));
  const saveLog = () => {
    const lines = events().map((event) => JSON.stringify(event));
    download(`${short}.jsonl`, `${lines.join('\n')}\n`, 'application/jsonl');
  };
  const commands = [cli.diff(id), cli.exportRecord(id, `${short}.jsonl`), cli.replay(id)];
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<Download />}
          disabled={!diff || diff.diff === ''}
          onClick={() => diff && download(`${short}.patch`, diff.diff, 'text/x-patch')}
        >
          Patch{diff?.is_cut ? ' (cut)' : ''}
        </Button>
        <Button size="sm" icon={<Download />} disabled={log.lastSeq === 0} onClick={saveLog}>
          Log (JSON Lines)
        </Button>
      </div>
      <ul className="flex flex-col gap-1">
        {commands.map((command) => (
          <li key={command} className="flex items-center gap-1 rounded-md bg-sunken pr-1 pl-2.5">
            <code className="min-w-0 flex-1 truncate text-xs text-code-fg" title={command}>
              {command}
            </code>
            <CopyButton text={command} label="Copy command" />
          </li>
        ))}
      </ul>
    </div>
  );
}

import { CommandLine } from '@/features/settings/parts/command-line';
import { Notice } from '@/features/settings/parts/notice';
import { settingsCli } from '@/model/cli/cli-settings';

type RestartNoticeProps = { count: number };

/** Something is written down that the server has not read yet. */
export function RestartNotice({ count }: RestartNoticeProps) {
  return (
    <Notice
      tone="warning"
      title={
        count === 1
          ? '1 change takes effect after the server restarts'
          : `${count} changes take effect after the server restarts`
      }
    >
      <p className="mb-2">
        Stop it when you are ready. The next command starts it again, and runs continue where they
        stopped.
      </p>
      <CommandLine command={settingsCli.stopServer()} />
    </Notice>
  );
}

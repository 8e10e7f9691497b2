import { useStops } from '@/api/actions';
import { ApiError } from '@/api/http';
import { cli } from '@/model/cli/cli';
import { isBreakpoint } from '@/model/team/breakpoints';
import { CliCommand } from '@/ui/cli-command';
import { CodedText } from '@/ui/coded-text';
import { Dialog } from '@/ui/dialog';
import type { RunDetail } from '@/wire/RunDetail';
import { BreakpointForm } from './breakpoint-form';
import { BreakpointList } from './breakpoint-list';
import { useBreakpointNames } from './use-breakpoint-names';

type BreakpointDialogProps = {
  detail: RunDetail;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** Where the run stops and asks; each change takes effect at once. */
export function BreakpointDialog({ detail, open, onOpenChange }: BreakpointDialogProps) {
  const { id, short_id: shortId } = detail;
  const save = useStops();
  const names = useBreakpointNames(detail);
  const all = [...detail.breakpoints, ...detail.stops].filter(isBreakpoint);
  const set = (breakpoints: string[], onSuccess = () => {}) =>
    save.mutate({ run: id, breakpoints }, { onSuccess });
  const { error } = save;
  const hint = error instanceof ApiError ? error.hint : null;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Breakpoints"
      description="The run stops there and asks you, each time until you remove the breakpoint."
      size="lg"
    >
      <div className="flex flex-col gap-4">
        <BreakpointList
          breakpoints={all}
          isSaving={save.isPending}
          onRemove={(text) => set(all.filter((one) => one !== text))}
        />
        {save.data?.warnings?.map((warning) => (
          <p key={warning} className="text-xs text-pretty text-needs-you">
            <CodedText>{warning}</CodedText>
          </p>
        ))}
        <BreakpointForm
          names={names}
          isSaving={save.isPending}
          onAdd={(text, clear) => set([...all.filter((one) => one !== text), text], clear)}
        />
        {error && (
          <p role="alert" className="text-xs text-pretty wrap-anywhere text-failed">
            <CodedText>{hint ? `${error.message}: ${hint}` : error.message}</CodedText>
          </p>
        )}
        <CliCommand command={cli.breakpoints(shortId, all)} />
      </div>
    </Dialog>
  );
}

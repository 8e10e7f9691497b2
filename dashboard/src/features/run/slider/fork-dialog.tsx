import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useFork, useStart } from '@/api/actions';
import { formatClock } from '@/lib/format';
import { toast } from '@/lib/toast';
import { shown } from '@/lib/visible';
import { cli } from '@/model/cli/cli';
import { checkpointAt, checkpointName } from '@/model/run/marks';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { CliCommand } from '@/ui/cli-command';
import { Combobox } from '@/ui/combobox';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Textarea } from '@/ui/textarea';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import { useSlowLog } from '../use-slow-log';
import { readEdits } from './state-edits';

type ForkDialogProps = {
  run: string;
  /** The run in commands: `r12`. */
  shortId: string;
  checkpoints: readonly CheckpointSummary[];
  at: number | null;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** A new run from a past state of this one. */
export function ForkDialog({ run, shortId, checkpoints, at, open, onOpenChange }: ForkDialogProps) {
  const navigate = useNavigate();
  const { log } = useSlowLog(run);
  const fork = useFork();
  const start = useStart();
  const [chosen, setChosen] = useState<number | null>(null);
  const [text, setText] = useState('');
  const [isStarted, setStarted] = useState(true);
  const last = checkpointAt(checkpoints, at)?.number ?? null;
  // What was the last one when the dialog was opened, however far the run has come since.
  const [first] = useState(last);
  const number = chosen ?? first ?? last;
  const { set, problem } = readEdits(text);
  const isBusy = fork.isPending || start.isPending;

  const go = async () => {
    if (number === null || problem) return;
    try {
      const { id } = await fork.mutateAsync({ run, at: number, set });
      if (isStarted) await start.mutateAsync({ run: id });
      toast({ title: `Forked at checkpoint ${number}`, tone: 'success' });
      onOpenChange(false);
      void navigate(`/runs/${id}`);
    } catch {
      // The mutation's error is shown.
    }
  };
  const options = [...checkpoints].reverse().map((one) => ({
    value: String(one.number),
    label: shown(checkpointName(one, log.transcript)),
    hint: `event #${one.sequence}, ${formatClock(one.created_at)}`,
  }));
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Fork this run"
      description="Creates a new run that continues from an earlier state of this one, in its own worktree with the files of that moment. This run does not change."
      footer={
        <>
          {number !== null && <CliCommand command={cli.fork(shortId, number)} />}
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button
            variant="primary"
            loading={isBusy}
            disabled={number === null || problem !== null}
            onClick={() => void go()}
          >
            {isStarted ? 'Fork and start' : 'Fork'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Checkpoint" hint={hintOf(chosen, at)}>
          {(control) => (
            <Combobox
              {...control}
              value={number === null ? undefined : String(number)}
              onChange={(value) => setChosen(Number(value))}
              options={options}
              placeholder="No checkpoint"
              searchPlaceholder="Stage, task or number"
            />
          )}
        </Field>
        <Field
          label="Edit state"
          optional
          hint="One path=value per line. The value is JSON or plain text."
          {...(problem ? { error: problem } : {})}
        >
          {(control) => (
            <Textarea
              {...control}
              mono
              minRows={2}
              placeholder="issue.title=A better title"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <Checkbox label="Start immediately" checked={isStarted} onChange={setStarted} />
        {(fork.error ?? start.error) && (
          <p role="alert" className="text-sm text-failed">
            {(fork.error ?? start.error)?.message}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function hintOf(chosen: number | null, at: number | null): string {
  if (chosen !== null) return 'Your choice';
  return at === null ? 'Latest checkpoint' : `Latest checkpoint at or before #${at}`;
}

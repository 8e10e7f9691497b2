import { useCancel, usePause, useStart, useStep } from '@/api/actions';
import { copyText } from '@/lib/clipboard';
import { toast } from '@/lib/toast';
import { cli } from '@/model/cli/cli';
import type { AllowedActions } from '@/model/run/run-state';
import type { RunDetail } from '@/wire/RunDetail';

export type RunAction = {
  id: ActionId;
  label: string;
  keys?: string;
  /** The same in a terminal. */
  cli?: string;
  isPending: boolean;
  run: () => void;
};

export type ActionId = 'start' | 'pause' | 'step' | 'say' | 'fork' | 'cancel' | 'copy-link';

export type OpenDialog = (what: 'cancel' | 'fork' | 'say') => void;

/** Every action that is possible right now, besides answers to its questions. */
export function useRunActions(
  detail: RunDetail,
  can: AllowedActions,
  checkpoint: number | null,
  open: OpenDialog,
) {
  const { id } = detail;
  const start = useStart();
  const pause = usePause();
  const step = useStep();
  const cancel = useCancel();
  const done = (title: string) => ({ onSuccess: () => void toast({ title, tone: 'success' }) });
  const copyLink = async () => {
    const isCopied = await copyText(location.href);
    toast({ title: isCopied ? 'Link copied' : 'Your browser blocked copying' });
  };

  const actions: (RunAction | false)[] = [
    can.start && {
      id: 'start',
      label: 'Start',
      isPending: start.isPending,
      run: () => start.mutate({ run: id }, done('Started')),
    },
    can.pause && {
      id: 'pause',
      label: 'Pause',
      keys: 'p',
      cli: cli.pause(id),
      isPending: pause.isPending,
      run: () => pause.mutate({ run: id }, done('Paused')),
    },
    can.step && {
      id: 'step',
      label: 'Step',
      keys: 's',
      cli: cli.step(id),
      isPending: step.isPending,
      run: () => step.mutate({ run: id }),
    },
    can.say && {
      id: 'say',
      label: 'Send a message to the agents',
      keys: 'm',
      cli: cli.say(id, 'your message'),
      isPending: false,
      run: () => open('say'),
    },
    checkpoint !== null && {
      id: 'fork',
      label: 'Fork',
      keys: 'shift+f',
      cli: cli.fork(id, checkpoint),
      isPending: false,
      run: () => open('fork'),
    },
    can.cancel && {
      id: 'cancel',
      label: 'Cancel',
      keys: 'x',
      cli: cli.cancel(id),
      isPending: cancel.isPending,
      run: () => open('cancel'),
    },
    {
      id: 'copy-link',
      label: 'Copy link',
      keys: 'l',
      isPending: false,
      run: () => void copyLink(),
    },
  ];
  return actions.filter((action) => action !== false);
}

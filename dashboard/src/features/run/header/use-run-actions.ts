import { useNavigate } from 'react-router';
import {
  useApprove,
  useCancel,
  useContinue,
  usePause,
  useResume,
  useStart,
  useStep,
} from '@/api/actions';
import { copyText } from '@/lib/clipboard';
import { toast } from '@/lib/toast';
import { cli } from '@/model/cli';
import type { Can } from '@/model/standing';
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

export type ActionId =
  | 'start'
  | 'approve'
  | 'reject'
  | 'review-plan'
  | 'pause'
  | 'resume'
  | 'retry'
  | 'limits'
  | 'step'
  | 'continue'
  | 'say'
  | 'fork'
  | 'cancel'
  | 'copy-link';

export type Open = (what: 'reject' | 'cancel' | 'limits' | 'fork' | 'say') => void;

/** Everything that can be done to the run right now: what is not in the list could not work. */
export function useRunActions(detail: RunDetail, can: Can, checkpoint: number | null, open: Open) {
  const { id } = detail;
  const asked = detail.pending_requests.find(({ kind }) => kind === 'approval');
  const navigate = useNavigate();
  const start = useStart();
  const approve = useApprove();
  const pause = usePause();
  const resume = useResume();
  const step = useStep();
  const goOn = useContinue();
  const cancel = useCancel();
  const done = (title: string) => ({ onSuccess: () => void toast({ title, tone: 'success' }) });
  const copyLink = async () => {
    const isCopied = await copyText(location.href);
    toast({ title: isCopied ? 'Link copied' : 'The browser did not allow copying' });
  };

  const actions: (RunAction | false)[] = [
    can.start && {
      id: 'start',
      label: 'Start',
      isPending: start.isPending,
      run: () => start.mutate({ run: id }, done('Started')),
    },
    can.approve &&
      asked !== undefined && {
        id: 'approve',
        label: 'Approve the plan',
        keys: 'a',
        cli: cli.approve(id),
        isPending: approve.isPending,
        run: () => approve.mutate({ run: id, request: asked.request_id }, done('Plan approved')),
      },
    can.approve && {
      id: 'reject',
      label: 'Reject the plan',
      keys: 'r',
      cli: cli.reject(id, 'what should change'),
      isPending: false,
      run: () => open('reject'),
    },
    can.approve && {
      id: 'review-plan',
      label: 'Review the plan',
      keys: 'e',
      cli: cli.plan(id),
      isPending: false,
      run: () => void navigate(`/runs/${id}/plan`),
    },
    can.pause && {
      id: 'pause',
      label: 'Pause',
      keys: 'p',
      cli: cli.pause(id),
      isPending: pause.isPending,
      run: () => pause.mutate({ run: id }, done('Paused')),
    },
    can.resume && {
      id: 'resume',
      label: 'Resume',
      keys: 'p',
      cli: cli.resume(id),
      isPending: resume.isPending,
      run: () => resume.mutate({ run: id }, done('Goes on')),
    },
    can.retry && {
      id: 'retry',
      label: 'Try again',
      keys: 'p',
      cli: cli.resume(id),
      isPending: resume.isPending,
      run: () => resume.mutate({ run: id }, done('Tries again')),
    },
    can.limits && {
      id: 'limits',
      label: 'Raise the budget',
      keys: 'b',
      isPending: false,
      run: () => open('limits'),
    },
    can.step && {
      id: 'step',
      label: 'Step',
      keys: 's',
      cli: cli.step(id),
      isPending: step.isPending,
      run: () => step.mutate({ run: id }),
    },
    can.goOn && {
      id: 'continue',
      label: 'Continue',
      keys: 'c',
      cli: cli.continue(id),
      isPending: goOn.isPending,
      run: () => goOn.mutate({ run: id }, done('Goes on')),
    },
    can.say && {
      id: 'say',
      label: 'Say something to the agents',
      keys: 'm',
      cli: cli.say(id, 'your words'),
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
      keys: 'y',
      isPending: false,
      run: () => void copyLink(),
    },
  ];
  return actions.filter((action) => action !== false);
}

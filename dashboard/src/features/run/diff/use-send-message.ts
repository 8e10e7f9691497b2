import { useNavigate } from 'react-router';
import { useNewRun, useSay } from '@/api/actions';
import { toast } from '@/lib/toast';
import type { RunDetail } from '@/wire/RunDetail';

type SendMessageOptions = {
  run: RunDetail;
  /** A follow-up run starts from it. */
  branch: string | null;
  message: string;
  onSent: () => void;
};

/** Sends a message to the Developer of a run, or starts a follow-up run with it. */
export function useSendMessage({ run, branch, message, onSent }: SendMessageOptions) {
  const navigate = useNavigate();
  const say = useSay();
  const newRun = useNewRun();

  const send = () =>
    say.mutate(
      { run: run.id, message },
      {
        onSuccess: () => {
          toast({ tone: 'success', title: 'Sent to the Developer' });
          onSent();
        },
      },
    );
  const startNew = (title: string) =>
    newRun.mutate(
      {
        worktree_path: run.worktree_path ?? '',
        title: title.trim(),
        description: message,
        ...(run.profile ? { profile: run.profile } : {}),
        ...(branch ? { base: branch } : {}),
      },
      {
        onSuccess: ({ id }) => {
          toast({
            tone: 'success',
            title: 'Follow-up run started',
            action: { label: 'Open run', run: () => void navigate(`/runs/${id}`) },
          });
          onSent();
        },
      },
    );
  return {
    send,
    startNew,
    error: say.error ?? newRun.error,
    isBusy: say.isPending || newRun.isPending,
  };
}

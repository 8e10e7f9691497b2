import { useArchive, useCancel, usePause, useResume, useStart, useStep } from '@/api/actions';
import { copyText } from '@/lib/clipboard';
import { EDITORS, editorLink, useEditor } from '@/lib/editor';
import { toast, toastWithUndo } from '@/lib/toast';
import { cli } from '@/model/cli/cli';
import { type AllowedActions, isTeamRun } from '@/model/run/run-state';
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
  | 'pause'
  | 'step'
  | 'say'
  | 'breakpoints'
  | 'intervene'
  | 'fork'
  | 'cancel'
  | 'editor'
  | 'archive'
  | 'unarchive'
  | 'copy-link';

export type OpenDialog = (what: 'cancel' | 'fork' | 'say' | 'breakpoints' | 'intervene') => void;

/** Every action that is possible right now, besides answers to its questions. */
export function useRunActions(
  detail: RunDetail,
  can: AllowedActions,
  checkpoint: number | null,
  open: OpenDialog,
) {
  const { id, short_id: shortId } = detail;
  const start = useStart();
  const pause = usePause();
  const resume = useResume();
  const step = useStep();
  const cancel = useCancel();
  const archive = useArchive();
  const editor = useEditor((state) => state.editor);
  const link = editorLink(editor, detail.worktree, location.hostname);
  const setArchived = (isUndone: boolean, onSuccess?: () => void) =>
    archive.mutate({ run: id, isUndone }, onSuccess ? { onSuccess } : {});
  const done = (title: string) => ({ onSuccess: () => void toast({ title, tone: 'success' }) });
  const goOn = () => resume.mutate({ run: id });
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
      cli: cli.pause(shortId),
      isPending: pause.isPending,
      run: () => pause.mutate({ run: id }, { onSuccess: () => void toastWithUndo('Paused', goOn) }),
    },
    can.step && {
      id: 'step',
      label: 'Step',
      keys: 's',
      cli: cli.step(shortId),
      isPending: step.isPending,
      run: () => step.mutate({ run: id }),
    },
    can.say && {
      id: 'say',
      label: 'Send a message to the agents',
      keys: 'm',
      cli: cli.say(shortId, 'your message'),
      isPending: false,
      run: () => open('say'),
    },
    can.cancel && {
      id: 'breakpoints',
      label: 'Breakpoints',
      keys: 'b',
      cli: cli.breakpoints(shortId, []),
      isPending: false,
      run: () => open('breakpoints'),
    },
    can.cancel &&
      isTeamRun(detail) && {
        id: 'intervene',
        label: 'Intervene',
        keys: 'i',
        isPending: false,
        run: () => open('intervene'),
      },
    checkpoint !== null && {
      id: 'fork',
      label: 'Fork',
      keys: 'shift+f',
      cli: cli.fork(shortId, checkpoint),
      isPending: false,
      run: () => open('fork'),
    },
    can.cancel && {
      id: 'cancel',
      label: 'Cancel',
      keys: 'x',
      cli: cli.cancel(shortId),
      isPending: cancel.isPending,
      run: () => open('cancel'),
    },
    link !== null && {
      id: 'editor',
      label: `Open worktree in ${EDITORS[editor].name}`,
      isPending: false,
      run: () => location.assign(link),
    },
    can.archive &&
      !detail.is_archived && {
        id: 'archive',
        label: 'Archive',
        cli: cli.archive(shortId),
        isPending: archive.isPending,
        run: () =>
          setArchived(false, () => void toastWithUndo('Archived', () => setArchived(true))),
      },
    can.archive &&
      detail.is_archived && {
        id: 'unarchive',
        label: 'Unarchive',
        cli: cli.unarchive(shortId),
        isPending: archive.isPending,
        run: () => setArchived(true),
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

import {
  Archive,
  ArchiveRestore,
  Ban,
  CircleDot,
  Code,
  GitFork,
  Hand,
  Link,
  MessageSquare,
  Pause,
  Play,
  StepForward,
} from 'lucide-react';
import type { ActionId } from './use-run-actions';

const icons = {
  start: Play,
  pause: Pause,
  step: StepForward,
  say: MessageSquare,
  breakpoints: CircleDot,
  intervene: Hand,
  fork: GitFork,
  cancel: Ban,
  archive: Archive,
  unarchive: ArchiveRestore,
  editor: Code,
  'copy-link': Link,
};

export function ActionIcon({ id }: { id: ActionId }) {
  const Icon = icons[id];
  return <Icon aria-hidden />;
}

import {
  Ban,
  Check,
  FileText,
  GitFork,
  Link,
  MessageSquare,
  Pause,
  Play,
  RotateCcw,
  StepForward,
  Wallet,
  X,
} from 'lucide-react';
import type { ActionId } from './use-run-actions';

const icons = {
  start: Play,
  approve: Check,
  reject: X,
  'review-plan': FileText,
  pause: Pause,
  resume: Play,
  retry: RotateCcw,
  limits: Wallet,
  step: StepForward,
  continue: Play,
  say: MessageSquare,
  fork: GitFork,
  cancel: Ban,
  'copy-link': Link,
};

export function ActionIcon({ id }: { id: ActionId }) {
  const Icon = icons[id];
  return <Icon aria-hidden />;
}

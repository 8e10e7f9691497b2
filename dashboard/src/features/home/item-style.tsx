import {
  Bug,
  CircleAlert,
  CirclePause,
  Coins,
  FileCheck2,
  Footprints,
  GitMerge,
  Hourglass,
  KeyRound,
  LifeBuoy,
  MessageCircleQuestion,
  RefreshCcw,
  Split,
  Unplug,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { ItemKind } from '@/model/inbox/inbox';
import type { StatusToken } from '@/ui/tones';

type ItemStyle = { icon: ReactNode; tone: StatusToken };

/** A picture and a colour for each kind of thing that needs a person. */
export const looks: Record<ItemKind, ItemStyle> = {
  plan: { icon: <FileCheck2 />, tone: 'needs-you' },
  permission: { icon: <KeyRound />, tone: 'needs-you' },
  approval: { icon: <FileCheck2 />, tone: 'needs-you' },
  question: { icon: <MessageCircleQuestion />, tone: 'needs-you' },
  conflict: { icon: <GitMerge />, tone: 'failed' },
  decision: { icon: <Split />, tone: 'needs-you' },
  help: { icon: <LifeBuoy />, tone: 'needs-you' },
  rounds: { icon: <RefreshCcw />, tone: 'needs-you' },
  budget: { icon: <Coins />, tone: 'needs-you' },
  quota: { icon: <Hourglass />, tone: 'paused' },
  pause: { icon: <CirclePause />, tone: 'paused' },
  breakpoint: { icon: <Bug />, tone: 'paused' },
  step: { icon: <Footprints />, tone: 'paused' },
  step_limit: { icon: <Footprints />, tone: 'needs-you' },
  failed: { icon: <CircleAlert />, tone: 'failed' },
  key: { icon: <KeyRound />, tone: 'needs-you' },
  interrupted: { icon: <Unplug />, tone: 'paused' },
};

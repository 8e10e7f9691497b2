import type { StatusToken } from '@/ui/tones';
import type { Disposition } from '@/wire/log/Disposition';
import type { Severity } from '@/wire/log/Severity';

export const severityTone: Record<Severity, StatusToken> = {
  none: 'queued',
  low: 'queued',
  medium: 'needs-you',
  high: 'failed',
  critical: 'failed',
};

/** The words that a Reviewer has for them. */
export const severityWord: Record<Severity, string> = {
  none: 'none',
  low: 'minor',
  medium: 'major',
  high: 'major',
  critical: 'critical',
};

export const dispositionTone: Record<Disposition, StatusToken> = {
  implement: 'done',
  reject: 'cancelled',
  defer: 'paused',
  clarify: 'needs-you',
};

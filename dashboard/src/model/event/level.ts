// How much an event matters, as the server says it.

import type { EventLevel } from '@/wire/log/EventLevel';

export type Level = EventLevel;

export const LEVELS: Level[] = ['debug', 'info', 'warning', 'error'];

import { useRunLog } from '@/api/run-log';

const EVERY = 500;

/** The log for what is drawn as a whole: it changes at most twice a second. */
export const useSlowLog = (id: string) => useRunLog(id, EVERY);

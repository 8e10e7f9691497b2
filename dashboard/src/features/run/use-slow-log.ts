import { useEffect, useState } from 'react';
import { useRunLog } from '@/api/run-log';

const EVERY = 500;

/** The log for what is drawn as a whole: it changes at most twice a second. */
export function useSlowLog(id: string) {
  const { log, version } = useRunLog(id);
  const [shown, setShown] = useState(version);
  useEffect(() => {
    if (shown === version) return;
    const timer = setTimeout(() => setShown(log.version), shown === 0 ? 0 : EVERY);
    return () => clearTimeout(timer);
  }, [log, shown, version]);
  return { log, version: shown };
}

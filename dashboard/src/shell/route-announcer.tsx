import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';

/** Says the name of the page that was opened to those who do not see it. */
export function RouteAnnouncer() {
  const { pathname } = useLocation();
  const [said, setSaid] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is what has to be said.
  useEffect(() => {
    const timer = setTimeout(() => setSaid(document.title), 300);
    return () => clearTimeout(timer);
  }, [pathname]);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {said}
    </div>
  );
}

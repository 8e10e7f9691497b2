import { Clapperboard, X } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { useSession } from '@/api/session';
import { cn } from '@/lib/cn';
import { isString, remember, remembered } from '@/lib/storage';
import { IconButton } from '@/ui/icon-button';

const KEY = 'demo-seen';

/** On every page of `amelia demo`: what is real here and what is not. Once put away, it stays so for this demo. A phone has
 * no room for it above a run, whose stream says the same. */
export function DemoBanner() {
  const { data: session } = useSession();
  const { pathname } = useLocation();
  const [seen, setSeen] = useState(() => remembered(KEY, isString, ''));
  if (!session?.is_demo || !session.home || seen === session.home) return null;
  const { home } = session;
  const putAway = () => {
    remember(KEY, home);
    setSeen(home);
  };
  return (
    <aside
      aria-label="About this demo"
      className={cn(
        'flex shrink-0 items-start gap-2.5 border-b border-line bg-accent-soft py-1.5 pr-2 pl-3 md:pr-3 md:pl-5',
        pathname.startsWith('/runs/') && 'max-md:hidden',
      )}
    >
      <Clapperboard aria-hidden className="mt-1 size-4 shrink-0 text-accent" />
      <p className="min-w-0 flex-1 py-0.5 text-pretty">
        <strong className="font-medium">This is a demo.</strong> The agents follow a script for one
        issue, at no cost.
        <span className="max-md:hidden"> Files, tests and commits are real.</span> In your own
        repository: <code className="text-xs whitespace-nowrap">amelia init</code>, then{' '}
        <code className="text-xs whitespace-nowrap">amelia start</code>.
      </p>
      <IconButton aria-label="Dismiss" size="sm" icon={<X />} onClick={putAway} />
    </aside>
  );
}

import type { ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { useMedia } from '@/lib/use-media';

type SeqLinkProps = { run: string; seq: number; className?: string; children: ReactNode };

/** Leads to an event in the stream, and leaves everything else of the page as it is. */
export function SeqLink({ run, seq, className, children }: SeqLinkProps) {
  const [search] = useSearchParams();
  // Changes with every step, so that the same link leads there twice.
  const { pathname, key } = useLocation();
  const isNarrow = !useMedia('(min-width: 768px)');
  const next = new URLSearchParams(pathname === `/runs/${run}` ? search : undefined);
  next.set('seq', String(seq));
  // It may not have happened yet at the moment that is shown; and where the stream is a tab, it is the one to see.
  next.delete('at');
  if (isNarrow) next.delete('tab');
  return (
    <Link
      to={`/runs/${run}?${next}`}
      state={{ followed: `${key} ${seq}` }}
      preventScrollReset
      className={className}
    >
      {children}
    </Link>
  );
}

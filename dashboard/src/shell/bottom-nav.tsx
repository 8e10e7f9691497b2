import { NavLink } from 'react-router';
import { cn } from '@/lib/cn';
import { type Counts, navItems } from '@/shell/nav';
import { NavCount } from '@/shell/nav-count';

type BottomNavProps = { counts: Counts };

/** The phone's way around: the same places, at the thumb. */
export function BottomNav({ counts }: BottomNavProps) {
  return (
    <nav
      aria-label="Main"
      className="safe-bottom grid shrink-0 grid-cols-6 border-t border-line bg-panel md:hidden"
    >
      {navItems.map(({ id, to, label, icon: Icon }) => (
        <NavLink
          key={id}
          to={to}
          end={to === '/'}
          className={({ isActive }) =>
            cn(
              'relative flex h-13 flex-col items-center justify-center gap-0.5 text-2xs font-medium',
              isActive ? 'text-accent-text' : 'text-muted',
            )
          }
        >
          <Icon aria-hidden className="size-5" />
          {label}
          <NavCount count={counts[id]} className="absolute top-1 left-1/2 ml-1.5" />
        </NavLink>
      ))}
    </nav>
  );
}

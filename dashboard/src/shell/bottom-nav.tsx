import { Ellipsis } from 'lucide-react';
import { NavLink, useLocation, useNavigate } from 'react-router';
import { cn } from '@/lib/cn';
import { type Counts, type NavItem, navItems } from '@/shell/nav';
import { NavCount } from '@/shell/nav-count';
import { DropdownMenu } from '@/ui/dropdown-menu';

type BottomNavProps = { counts: Counts };

const isMore = (place: NavItem) => 'more' in place && place.more;
const places = navItems.filter((place) => !isMore(place));
const others = navItems.filter(isMore);

const look = (isActive: boolean) =>
  cn(
    'relative flex h-13 flex-col items-center justify-center gap-0.5 text-2xs font-medium',
    isActive ? 'text-accent-text' : 'text-muted',
  );

/** The phone's way around: the same places, at the thumb. */
export function BottomNav({ counts }: BottomNavProps) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return (
    <nav
      aria-label="Main"
      className="safe-bottom grid shrink-0 grid-cols-6 border-t border-line bg-panel md:hidden"
    >
      {places.map(({ id, to, label, icon: Icon }) => (
        <NavLink key={id} to={to} end={to === '/'} className={({ isActive }) => look(isActive)}>
          <Icon aria-hidden className="size-5" />
          {label}
          <NavCount count={counts[id]} className="absolute top-1 left-1/2 ml-1.5" />
        </NavLink>
      ))}
      <DropdownMenu
        side="top"
        trigger={
          <button type="button" className={look(others.some(({ to }) => pathname.startsWith(to)))}>
            <Ellipsis aria-hidden className="size-5" />
            More
          </button>
        }
        items={others.map(({ label, to, icon: Icon }) => ({
          label,
          icon: <Icon aria-hidden />,
          onSelect: () => void navigate(to),
        }))}
      />
    </nav>
  );
}

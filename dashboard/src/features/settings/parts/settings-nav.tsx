import { Bot, Gauge, KeyRound, MessageSquareText, Palette, Server, Users } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { NavLink, useLocation } from 'react-router';
import { centre } from '@/lib/centre';
import { cn } from '@/lib/cn';

const places = [
  { to: '/settings/profiles', label: 'Profiles', icon: <Users /> },
  { to: '/settings/agents', label: 'Agents', icon: <Bot /> },
  { to: '/settings/prompts', label: 'Prompts', icon: <MessageSquareText /> },
  { to: '/settings/budgets', label: 'Budgets', icon: <Gauge /> },
  { to: '/settings/server', label: 'Server', icon: <Server /> },
  { to: '/settings/tokens', label: 'Sign-in', icon: <KeyRound /> },
  { to: '/settings/look', label: 'Appearance', icon: <Palette /> },
];

/** A column beside the page; on phones a row above it. */
export function SettingsNav() {
  const row = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page that is shown is brought into view.
  useEffect(() => centre(row.current, '[aria-current="page"]'), [pathname]);
  return (
    <nav
      ref={row}
      aria-label="Settings"
      className="scroll-quiet sticky top-0 z-20 flex shrink-0 gap-0.5 overflow-x-auto border-b border-line bg-canvas px-3 [scrollbar-width:none] md:w-44 md:flex-col md:self-start md:overflow-visible md:border-b-0 md:px-3 md:py-4"
    >
      {places.map((place) => (
        <NavLink
          key={place.to}
          to={place.to}
          className={({ isActive }) =>
            cn(
              'flex h-10 shrink-0 items-center gap-2 border-b-2 border-transparent px-2 text-sm text-muted transition-colors hover:text-fg focus-visible:-outline-offset-2',
              'md:h-8 md:rounded-md md:border-b-0 md:hover:bg-hover [&_svg]:size-4 max-md:[&_svg]:hidden',
              isActive &&
                'font-medium text-fg max-md:border-accent md:bg-pressed/70 md:hover:bg-pressed/70',
            )
          }
        >
          {place.icon}
          {place.label}
        </NavLink>
      ))}
    </nav>
  );
}

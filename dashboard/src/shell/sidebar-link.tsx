import { NavLink } from 'react-router';
import type { NavItem } from '@/shell/nav';
import { NavCount } from '@/shell/nav-count';
import { Tooltip } from '@/ui/tooltip';

type SidebarLinkProps = { place: NavItem; count: number | undefined; collapsed: boolean };

export function SidebarLink({ place, count, collapsed }: SidebarLinkProps) {
  const { to, label, keys, icon: Icon } = place;
  const link = (
    <NavLink
      to={to}
      end={to === '/'}
      // By attribute, not by function: a tooltip around the link would lose a function.
      className="relative flex h-8 items-center gap-2.5 rounded-md px-2.5 text-sm text-muted transition-colors hover:bg-hover hover:text-fg aria-[current=page]:bg-pressed/80 aria-[current=page]:font-medium aria-[current=page]:text-fg aria-[current=page]:[&_svg]:text-accent-text"
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className={collapsed ? 'sr-only' : 'flex-1 truncate'}>{label}</span>
      <NavCount count={count} className={collapsed ? 'absolute -top-0.5 -right-0.5' : ''} />
    </NavLink>
  );
  if (!collapsed) return link;
  return (
    <Tooltip label={label} shortcut={keys} side="right">
      {link}
    </Tooltip>
  );
}

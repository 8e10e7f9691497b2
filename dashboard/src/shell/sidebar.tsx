import { Keyboard, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { cn } from '@/lib/cn';
import { Mark } from '@/shell/mark';
import { type Counts, navItems } from '@/shell/nav';
import { SidebarLink } from '@/shell/sidebar-link';
import { IconButton } from '@/ui/icon-button';

type SidebarProps = {
  counts: Counts;
  collapsed: boolean;
  onCollapse: (collapsed: boolean) => void;
  onHelp: () => void;
};

export function Sidebar({ counts, collapsed, onCollapse, onHelp }: SidebarProps) {
  return (
    <aside
      className={cn(
        'hidden shrink-0 flex-col border-r border-line transition-[width] duration-150 md:flex',
        collapsed ? 'w-13' : 'w-50',
      )}
    >
      <div className="flex h-12 items-center gap-2.5 px-3.5">
        <Mark className="size-6 shrink-0" />
        {!collapsed && <span className="text-base font-semibold tracking-tight">Amelia</span>}
      </div>
      <nav aria-label="Main" className="flex flex-1 flex-col gap-0.5 px-2 pt-2">
        {navItems.map((place) => (
          <SidebarLink
            key={place.id}
            place={place}
            count={counts[place.id]}
            collapsed={collapsed}
          />
        ))}
      </nav>
      <div className={cn('flex gap-1 p-2', collapsed ? 'flex-col-reverse' : 'justify-between')}>
        <IconButton
          aria-label={collapsed ? 'Expand sidebar' : 'Collapse sidebar'}
          aria-expanded={!collapsed}
          shortcut="["
          tooltipSide="right"
          icon={collapsed ? <PanelLeftOpen /> : <PanelLeftClose />}
          onClick={() => onCollapse(!collapsed)}
        />
        <IconButton
          aria-label="Keyboard shortcuts"
          shortcut="?"
          tooltipSide="right"
          icon={<Keyboard />}
          onClick={onHelp}
        />
      </div>
    </aside>
  );
}

import { useNavigate } from 'react-router';
import { setPaletteOpen, useCommands } from '@/lib/commands';
import { setTheme } from '@/lib/theme';
import { useMedia } from '@/lib/use-media';
import { useShortcut } from '@/lib/use-shortcut';
import { type NavId, navItems } from '@/shell/nav';

type Actions = { onHelp: () => void; onToggleSidebar: () => void };

/** The keys and palette commands that work everywhere. */
export function useNavigationKeys({ onHelp, onToggleSidebar }: Actions): void {
  const navigate = useNavigate();
  const goTo = (to: string) => void navigate(to);

  usePlaceKey('home', goTo);
  usePlaceKey('start', goTo);
  usePlaceKey('workflows', goTo);
  usePlaceKey('teams', goTo);
  usePlaceKey('usage', goTo);
  usePlaceKey('compare', goTo);
  usePlaceKey('mcp', goTo);
  usePlaceKey('memory', goTo);
  usePlaceKey('settings', goTo);
  usePlaceKey('doctor', goTo);
  useShortcut(
    { keys: 'mod+k', label: 'Search and commands', group: 'General', inInputs: true },
    () => setPaletteOpen(true),
  );
  useShortcut({ keys: '?', label: 'Show shortcuts', group: 'General' }, onHelp);
  // A phone has its places below the page instead.
  const hasSidebar = useMedia('(min-width: 768px)');
  useShortcut(
    { keys: '[', label: 'Toggle the sidebar', group: 'General', when: hasSidebar },
    onToggleSidebar,
  );

  useCommands([
    ...navItems.map(({ id, to, label, keys }) => ({
      id: `go-${id}`,
      label: `Go to ${label}`,
      group: 'Go to',
      hint: keys,
      run: () => goTo(to),
    })),
    { id: 'theme-light', label: 'Light theme', group: 'Appearance', run: () => setTheme('light') },
    { id: 'theme-dark', label: 'Dark theme', group: 'Appearance', run: () => setTheme('dark') },
    {
      id: 'theme-system',
      label: 'System theme',
      group: 'Appearance',
      run: () => setTheme('system'),
    },
    {
      id: 'shortcuts',
      label: 'Show keyboard shortcuts',
      group: 'Help',
      hint: '?',
      run: onHelp,
    },
  ]);
}

function usePlaceKey(id: NavId, goTo: (to: string) => void): void {
  const place = navItems.find((one) => one.id === id) ?? navItems[0];
  useShortcut({ keys: place.keys, label: place.label, group: 'Go to' }, () => goTo(place.to));
}

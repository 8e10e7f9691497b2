import { useNavigate } from 'react-router';
import { setPaletteOpen, useCommands } from '@/lib/commands';
import { setTheme } from '@/lib/theme';
import { useShortcut } from '@/lib/use-shortcut';
import { type PlaceId, places } from '@/shell/nav';

type Actions = { onHelp: () => void; onToggleSidebar: () => void };

/** The keys and palette commands that work everywhere. */
export function useNavigationKeys({ onHelp, onToggleSidebar }: Actions): void {
  const navigate = useNavigate();
  const goTo = (to: string) => void navigate(to);

  usePlaceKey('home', goTo);
  usePlaceKey('start', goTo);
  usePlaceKey('usage', goTo);
  usePlaceKey('compare', goTo);
  usePlaceKey('settings', goTo);
  usePlaceKey('doctor', goTo);
  useShortcut(
    { keys: 'mod+k', label: 'Search and commands', group: 'Everywhere', inInputs: true },
    () => setPaletteOpen(true),
  );
  useShortcut({ keys: '?', label: 'Show the shortcuts', group: 'Everywhere' }, onHelp);
  useShortcut(
    { keys: '[', label: 'Narrow or widen the sidebar', group: 'Everywhere' },
    onToggleSidebar,
  );

  useCommands([
    ...places.map(({ id, to, label, keys }) => ({
      id: `go-${id}`,
      label: `Go to ${label}`,
      group: 'Go to',
      hint: keys,
      run: () => goTo(to),
    })),
    { id: 'theme-light', label: 'Light theme', group: 'Look', run: () => setTheme('light') },
    { id: 'theme-dark', label: 'Dark theme', group: 'Look', run: () => setTheme('dark') },
    {
      id: 'theme-system',
      label: 'Theme like the system',
      group: 'Look',
      run: () => setTheme('system'),
    },
    {
      id: 'shortcuts',
      label: 'Show the keyboard shortcuts',
      group: 'Help',
      hint: '?',
      run: onHelp,
    },
  ]);
}

function usePlaceKey(id: PlaceId, goTo: (to: string) => void): void {
  const place = places.find((one) => one.id === id) ?? places[0];
  useShortcut({ keys: place.keys, label: place.label, group: 'Go to' }, () => goTo(place.to));
}

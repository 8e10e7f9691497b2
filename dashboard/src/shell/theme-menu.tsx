import { Monitor, Moon, Sun } from 'lucide-react';
import { setTheme, useTheme } from '@/lib/theme';
import { DropdownMenu } from '@/ui/dropdown-menu';
import { IconButton } from '@/ui/icon-button';

const icons = { light: <Sun />, dark: <Moon />, system: <Monitor /> };

export function ThemeMenu() {
  const theme = useTheme((state) => state.theme);
  return (
    <DropdownMenu
      trigger={<IconButton aria-label="Theme" tooltip={false} icon={icons[theme]} />}
      items={[
        {
          label: 'Light',
          icon: <Sun />,
          checked: theme === 'light',
          onSelect: () => setTheme('light'),
        },
        {
          label: 'Dark',
          icon: <Moon />,
          checked: theme === 'dark',
          onSelect: () => setTheme('dark'),
        },
        {
          label: 'System',
          icon: <Monitor />,
          checked: theme === 'system',
          onSelect: () => setTheme('system'),
        },
      ]}
    />
  );
}

import { Card } from '@/ui/card';
import { ShortcutList } from '@/ui/shortcut-list';

/** The keys that work everywhere, by group. */
export function ShortcutsCard() {
  return (
    <Card
      title="Keyboard"
      description="These work on every page. Press ? on a page to see all of its shortcuts."
    >
      <ShortcutList />
    </Card>
  );
}

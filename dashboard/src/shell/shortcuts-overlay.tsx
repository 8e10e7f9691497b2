import { Dialog } from '@/ui/dialog';
import { ShortcutList } from '@/ui/shortcut-list';

type ShortcutsOverlayProps = { onClose: () => void };

/** Every key that works on the page now. */
export default function ShortcutsOverlay({ onClose }: ShortcutsOverlayProps) {
  return (
    <Dialog open onOpenChange={onClose} title="Keyboard shortcuts" size="lg">
      <ShortcutList />
    </Dialog>
  );
}

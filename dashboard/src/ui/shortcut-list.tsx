import { useShortcuts } from '@/lib/keys';
import { Kbd } from '@/ui/kbd';

/** Every key that works on the page now, by group. */
export function ShortcutList() {
  const shortcuts = useShortcuts((state) => state.shortcuts);
  const shown = [...new Map(shortcuts.map((one) => [one.keys, one])).values()];
  const groups = Map.groupBy(shown, (shortcut) => shortcut.group);
  return (
    <div className="columns-1 gap-10 sm:columns-2">
      {[...groups].map(([group, items]) => (
        <section key={group} className="mb-5 break-inside-avoid">
          <h3 className="mb-1 text-xs font-medium text-subtle">{group}</h3>
          <dl>
            {items.map((item) => (
              <div
                key={item.id}
                className="flex h-8 items-center justify-between gap-4 border-b border-line last:border-0"
              >
                <dt className="truncate">{item.label}</dt>
                <dd>
                  <Kbd keys={item.keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

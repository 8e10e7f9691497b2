import { useShortcuts } from '@/lib/keys';
import { Card } from '@/ui/card';
import { Kbd } from '@/ui/kbd';

/** The keys that work everywhere, by group. */
export function ShortcutsCard() {
  const shortcuts = useShortcuts((state) => state.shortcuts);
  const shown = [...new Map(shortcuts.map((one) => [one.keys, one])).values()];
  const groups = Map.groupBy(shown, (shortcut) => shortcut.group);
  return (
    <Card
      title="Keyboard"
      description="These work on every page; each page has more, which ? shows there."
    >
      <div className="gap-10 sm:columns-2">
        {[...groups].map(([group, items]) => (
          <section key={group} className="mb-4 break-inside-avoid">
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
    </Card>
  );
}

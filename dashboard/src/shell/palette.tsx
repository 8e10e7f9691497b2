import { Command as Cmdk, useCommandState } from 'cmdk';
import { Search } from 'lucide-react';
import { useEffect } from 'react';
import { type Command, groupsOf, setPaletteOpen, setPaletteText, usePalette } from '@/lib/commands';
import { useRunCommands } from '@/shell/use-run-commands';
import { Dialog } from '@/ui/dialog';
import { Kbd } from '@/ui/kbd';

/** The command palette: everything the parts of the screen have offered, by group. */
export default function Palette() {
  useRunCommands();
  const open = usePalette((state) => state.open);
  const text = usePalette((state) => state.text);
  const sources = usePalette((state) => state.sources);
  const groups = groupsOf([...sources.values()].flat());

  const run = (command: Command) => {
    setPaletteOpen(false);
    command.run();
  };

  return (
    <Dialog open={open} onOpenChange={setPaletteOpen} title="Search and commands" hideTitle>
      <Cmdk label="Commands" loop className="flex max-h-[60vh] flex-col">
        <div className="flex items-center gap-2.5 border-b border-line px-4">
          <Search aria-hidden className="size-4 shrink-0 text-subtle" />
          <Cmdk.Input
            autoFocus
            value={text}
            onValueChange={setPaletteText}
            onFocus={({ currentTarget }) => currentTarget.setSelectionRange(-1, -1)}
            placeholder="Search or run a command"
            className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-subtle"
          />
          <Kbd keys="escape" />
        </div>
        <FirstResult />
        <Cmdk.List className="scroll-quiet min-h-0 flex-1 overflow-y-auto p-1.5">
          <Cmdk.Empty className="py-10 text-center text-sm text-muted">No results.</Cmdk.Empty>
          {groups.map(([group, commands]) => (
            <Cmdk.Group
              key={group}
              heading={group}
              className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-subtle"
            >
              {commands.map((command) => (
                <Cmdk.Item
                  key={command.id}
                  value={`${command.label} ${command.id}`}
                  keywords={command.keywords ?? []}
                  onSelect={() => run(command)}
                  className="flex h-8.5 cursor-default select-none items-center gap-2 rounded-md px-2.5 text-sm data-[selected=true]:bg-hover"
                >
                  <span className="min-w-0 flex-1 truncate">{command.label}</span>
                  {command.hint && <Hint hint={command.hint} />}
                </Cmdk.Item>
              ))}
            </Cmdk.Group>
          ))}
        </Cmdk.List>
      </Cmdk>
    </Dialog>
  );
}

/** Runs the first result when Enter was pressed while the palette was loading. */
function FirstResult() {
  const isConfirmed = usePalette((state) => state.isConfirmed);
  const text = usePalette((state) => state.text);
  const isFound = useCommandState((state) => state.search === text && state.filtered.count > 0);
  useEffect(() => {
    if (!isConfirmed || !isFound) return;
    // The result is chosen after it is found.
    const timer = setTimeout(() =>
      document.querySelector<HTMLElement>('[cmdk-item][data-selected="true"]')?.click(),
    );
    return () => clearTimeout(timer);
  }, [isConfirmed, isFound]);
  return null;
}

function Hint({ hint }: { hint: string }) {
  const isKeys = /^(\S|\S \S|(mod|shift|alt)\+\S+)$/.test(hint);
  return isKeys ? <Kbd keys={hint} /> : <span className="text-xs text-subtle">{hint}</span>;
}

// What the command palette offers: each part of the screen adds its own commands while it is shown.
import { useEffect, useEffectEvent, useId } from 'react';
import { create } from 'zustand';

export type Command = {
  id: string;
  label: string;
  group: string;
  /** A word on the right: a key such as `g h`, or a state. */
  hint?: string;
  keywords?: string[];
  run: () => void;
};

type Palette = {
  open: boolean;
  /** What is searched for. Kept here, so that what is typed while the palette loads is in its field. */
  text: string;
  /** Enter was pressed before there was anything to choose: the first result is meant. */
  isConfirmed: boolean;
  sources: ReadonlyMap<string, Command[]>;
};
const EMPTY = { text: '', isConfirmed: false };
export const usePalette = create<Palette>(() => ({ open: false, ...EMPTY, sources: new Map() }));

export const setPaletteOpen = (open: boolean) =>
  usePalette.setState((before) => (before.open === open ? before : { open, ...EMPTY }));
export const setPaletteText = (text: string) => usePalette.setState({ text, isConfirmed: false });
export const confirmPalette = () => usePalette.setState({ isConfirmed: true });

/** Groups that work everywhere: they come after what the page offers. */
const EVERYWHERE = ['Go to', 'Runs', 'Appearance', 'Help'];

export function groupsOf(commands: readonly Command[]): [string, Command[]][] {
  const groups = new Map<string, Command[]>();
  for (const command of commands)
    groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups].sort(([a], [b]) => EVERYWHERE.indexOf(a) - EVERYWHERE.indexOf(b));
}

/** Offers these commands while the component is shown. */
export function useCommands(commands: Command[]): void {
  const source = useId();
  const run = useEffectEvent((id: string) => commands.find((one) => one.id === id)?.run());
  // A new array at each render is fine: only a change of what is shown registers again.
  const shown = JSON.stringify(commands.map(({ run: _, ...rest }) => rest));
  const bound = useEffectEvent(() =>
    commands.map((command) => ({ ...command, run: () => run(command.id) })),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shown` stands for the commands.
  useEffect(() => {
    replace(source, bound());
    return () => replace(source, null);
  }, [source, shown]);
}

function replace(source: string, commands: Command[] | null): void {
  usePalette.setState(({ sources }) => {
    const next = new Map(sources);
    if (commands) next.set(source, commands);
    else next.delete(source);
    return { sources: next };
  });
}

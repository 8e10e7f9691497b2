import { Popover } from 'radix-ui';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { cn } from '@/lib/cn';
import { Input } from '@/ui/input';

export type Suggestion = { value: string; label?: string; hint?: string; icon?: ReactNode };

type SuggestInputProps = Omit<ComponentProps<typeof Input>, 'value' | 'onChange' | 'list'> & {
  value: string;
  onChange: (value: string) => void;
  suggestions: readonly Suggestion[];
};

/** Text that anybody may type, with suggestions below: arrows choose, Enter takes, Escape closes. */
export function SuggestInput({ value, onChange, suggestions, ...native }: SuggestInputProps) {
  const list = useId();
  const [isWanted, setWanted] = useState(false);
  const [active, setActive] = useState(-1);
  const isOpen = isWanted && suggestions.length > 0;
  const close = () => {
    setWanted(false);
    setActive(-1);
  };
  const take = (suggestion: Suggestion | undefined) => {
    if (suggestion) onChange(suggestion.value);
    close();
  };
  const move = (by: number) => {
    const count = suggestions.length;
    setWanted(true);
    if (count > 0) setActive((at) => (at < 0 && by < 0 ? count - 1 : (at + by + count) % count));
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && isOpen && active >= 0) take(suggestions[active]);
    else if (event.key === 'Escape' && isOpen) close();
    else return;
    event.preventDefault();
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Popover.Anchor asChild>
        <div className="relative">
          <Input
            {...native}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={isOpen ? list : undefined}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && active >= 0 ? `${list}-${active}` : undefined}
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => {
              onChange(event.target.value);
              setWanted(true);
              setActive(-1);
            }}
            onClick={() => setWanted(true)}
            onKeyDown={press}
            onBlur={close}
          />
        </div>
      </Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          id={list}
          role="listbox"
          aria-label="Suggestions"
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={(event) => event.preventDefault()}
          className="scroll-quiet z-60 max-h-72 w-(--radix-popover-trigger-width) overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-high outline-none"
        >
          {suggestions.map((suggestion, index) => (
            <Row
              key={suggestion.value}
              id={`${list}-${index}`}
              suggestion={suggestion}
              isActive={index === active}
              onPoint={() => setActive(index)}
              onTake={() => take(suggestion)}
            />
          ))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

type RowProps = {
  id: string;
  suggestion: Suggestion;
  isActive: boolean;
  onPoint: () => void;
  onTake: () => void;
};

function Row({ id, suggestion, isActive, onPoint, onTake }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      onPointerMove={onPoint}
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
      className={cn(
        'flex min-h-7.5 cursor-default select-none items-center gap-2 rounded-md px-2 py-1 text-sm [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-subtle',
        isActive && 'bg-hover',
      )}
    >
      {suggestion.icon}
      <span className="min-w-0 flex-1 truncate font-mono text-xs">
        {suggestion.label ?? suggestion.value}
      </span>
      {suggestion.hint && <span className="shrink-0 text-xs text-subtle">{suggestion.hint}</span>}
    </div>
  );
}

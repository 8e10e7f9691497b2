import { Download, ListFilter, Search, X } from 'lucide-react';
import type { EventFilter, EventList } from '@/model/event/event-list';
import { LEVELS } from '@/model/event/level';
import { agentName } from '@/ui/agent-token';
import { Button } from '@/ui/button';
import { DropdownMenu } from '@/ui/dropdown-menu';
import { IconButton } from '@/ui/icon-button';
import { Input } from '@/ui/input';

type EventFiltersProps = {
  list: EventList;
  filter: EventFilter;
  text: string;
  onText: (text: string) => void;
  onChange: (next: Partial<Record<'level' | 'by' | 'name', readonly string[]>>) => void;
  onDownload: () => void;
};

const toggled = <T,>(list: readonly T[], one: T) =>
  list.includes(one) ? list.filter((other) => other !== one) : [...list, one];

export function EventFilters(props: EventFiltersProps) {
  const { list, filter, text, onText, onChange, onDownload } = props;
  const isFiltered =
    text !== '' || filter.levels.length + filter.agents.length + filter.names.length > 0;
  return (
    <div className="flex h-10 shrink-0 items-center gap-1 border-b border-line px-2">
      <Input
        type="search"
        aria-label="Search events"
        placeholder="Search"
        className="h-7 border-transparent bg-transparent shadow-none"
        icon={<Search />}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      {isFiltered && (
        <IconButton
          aria-label="Show all events"
          size="sm"
          icon={<X />}
          onClick={() => {
            onText('');
            onChange({ level: [], by: [], name: [] });
          }}
        />
      )}
      <Menu
        label="Level"
        chosen={filter.levels}
        all={LEVELS}
        onChange={(level) => onChange({ level })}
      />
      <Menu
        label="Agent"
        chosen={filter.agents}
        all={[...list.agents]}
        nameOf={agentName}
        onChange={(by) => onChange({ by })}
      />
      <Menu
        label="Name"
        chosen={filter.names}
        all={[...list.names].sort()}
        onChange={(name) => onChange({ name })}
      />
      <IconButton
        aria-label="Download as JSON Lines"
        size="sm"
        icon={<Download />}
        onClick={onDownload}
      />
    </div>
  );
}

type MenuProps = {
  label: string;
  chosen: readonly string[];
  all: readonly string[];
  /** How one is shown. */
  nameOf?: (one: string) => string;
  onChange: (chosen: readonly string[]) => void;
};

function Menu({ label, chosen, all, nameOf = (one) => one, onChange }: MenuProps) {
  return (
    <DropdownMenu
      trigger={
        <Button
          size="sm"
          variant="ghost"
          icon={<ListFilter />}
          className={chosen.length > 0 ? 'bg-accent-soft px-1.5 text-accent-text' : 'px-1.5'}
        >
          {chosen.length > 0 ? `${label} ${chosen.length}` : label}
        </Button>
      }
      items={all.map((one) => ({
        label: nameOf(one),
        checked: chosen.includes(one),
        onSelect: () => onChange(toggled(chosen, one)),
      }))}
    />
  );
}

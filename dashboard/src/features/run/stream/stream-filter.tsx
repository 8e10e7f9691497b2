import { ArrowDownToLine, FoldVertical, ListFilter, Search, UnfoldVertical, X } from 'lucide-react';
import { memo } from 'react';
import type { RowFilter, RowKind } from '@/model/stream/rows';
import { agentName } from '@/ui/agent-token';
import { DropdownMenu } from '@/ui/dropdown-menu';
import { IconButton } from '@/ui/icon-button';
import { Input } from '@/ui/input';

type StreamFilterProps = {
  filter: RowFilter;
  text: string;
  inputId: string;
  agents: readonly string[];
  isAllFolded: boolean;
  onText: (text: string) => void;
  onChange: (filter: Pick<RowFilter, 'agents' | 'kinds'>) => void;
  onFoldAll: () => void;
  onFollow: () => void;
};

const KINDS: [RowKind, string][] = [
  ['text', 'Messages'],
  ['thinking', 'Thinking'],
  ['prompt', 'Prompts'],
  ['call', 'Tool calls'],
  ['note', 'Checks, reviews, commits, questions'],
];

const toggled = <T,>(list: readonly T[], one: T) =>
  list.includes(one) ? list.filter((other) => other !== one) : [...list, one];

export const StreamFilter = memo(function StreamFilter(props: StreamFilterProps) {
  const { filter, text, agents, onText, onChange } = props;
  const { kinds } = filter;
  const count = filter.agents.length + kinds.length;
  return (
    <div className="flex h-10 shrink-0 items-center gap-1 border-b border-line px-3">
      <Input
        id={props.inputId}
        type="search"
        aria-label="Search the stream"
        placeholder="Search the stream"
        className="h-7 border-transparent bg-transparent shadow-none"
        icon={<Search />}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      {(count > 0 || text !== '') && (
        <IconButton
          aria-label="Show everything"
          size="sm"
          icon={<X />}
          onClick={() => {
            onText('');
            onChange({ agents: [], kinds: [] });
          }}
        />
      )}
      <DropdownMenu
        trigger={
          <IconButton
            aria-label={count > 0 ? `Filter, ${count} chosen` : 'Filter'}
            tooltip={false}
            size="sm"
            className={count > 0 ? 'bg-accent-soft text-accent-text' : ''}
            icon={<ListFilter />}
          />
        }
        items={[
          { heading: 'Show only' },
          ...KINDS.map(([kind, label]) => ({
            label,
            checked: kinds.includes(kind),
            onSelect: () => onChange({ agents: filter.agents, kinds: toggled(kinds, kind) }),
          })),
          { heading: 'Of' },
          ...agents.map((agent) => ({
            label: agentName(agent),
            checked: filter.agents.includes(agent),
            onSelect: () => onChange({ agents: toggled(filter.agents, agent), kinds }),
          })),
        ]}
      />
      <IconButton
        aria-label={props.isAllFolded ? 'Expand all stages' : 'Collapse all stages'}
        size="sm"
        icon={props.isAllFolded ? <UnfoldVertical /> : <FoldVertical />}
        onClick={props.onFoldAll}
      />
      <IconButton
        aria-label="Follow new events"
        shortcut="f"
        size="sm"
        icon={<ArrowDownToLine />}
        onClick={props.onFollow}
      />
    </div>
  );
});

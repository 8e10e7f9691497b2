import { Columns3, Rows3, X } from 'lucide-react';
import { useShortcut } from '@/lib/use-shortcut';
import { type Filter, isFiltering, nameOfPath, STATUSES } from '@/model/board/board';
import { Button } from '@/ui/button';
import { SegmentedControl } from '@/ui/segmented-control';
import { Select } from '@/ui/select';
import type { RunSummary } from '@/wire/RunSummary';
import { SearchField } from './search-field';
import type { View } from './use-home-query';

type FiltersProps = {
  filter: Filter;
  view: View;
  /** For the choices. */
  runs: readonly RunSummary[];
  onFilter: (changes: Partial<Filter>) => void;
  onClear: () => void;
  onView: (view: View) => void;
};

const ANY = '*';

export function Filters({ filter, view, runs, onFilter, onClear, onView }: FiltersProps) {
  useShortcut({ keys: 'v', label: 'Board or list', group: 'Runs' }, () =>
    onView(view === 'board' ? 'list' : 'board'),
  );
  const profiles = choices(runs.map((run) => run.profile));
  const repositories = choices(runs.map((run) => run.worktree_path));
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-center gap-2">
      <SearchField text={filter.text} onChange={(text) => onFilter({ text })} />
      <Choice
        label="Status"
        value={filter.status}
        options={STATUSES}
        onChange={(status) => onFilter({ status })}
      />
      {(profiles.length > 1 || filter.profile) && (
        <Choice
          label="Profile"
          value={filter.profile}
          options={profiles.map((value) => ({ value, label: value }))}
          onChange={(profile) => onFilter({ profile })}
        />
      )}
      {(repositories.length > 1 || filter.repository) && (
        <Choice
          label="Repository"
          value={filter.repository}
          options={repositories.map((value) => ({ value, label: nameOfPath(value), hint: value }))}
          onChange={(repository) => onFilter({ repository })}
        />
      )}
      {isFiltering(filter) && (
        <Button variant="ghost" icon={<X />} onClick={onClear}>
          Clear
        </Button>
      )}
      <SegmentedControl
        label="View"
        value={view}
        onChange={onView}
        className="md:ml-auto"
        segments={[
          { value: 'board', label: 'Board', icon: <Columns3 /> },
          { value: 'list', label: 'List', icon: <Rows3 /> },
        ]}
      />
    </div>
  );
}

const choices = (values: (string | null)[]) =>
  [...new Set(values.filter((value) => value !== null))].sort();

type ChoiceProps = {
  label: string;
  value: string;
  options: { value: string; label: string; hint?: string }[];
  onChange: (value: string) => void;
};

function Choice({ label, value, options, onChange }: ChoiceProps) {
  const known = options.some((option) => option.value === value);
  const shown = known || value === '' ? options : [...options, { value, label: nameOfPath(value) }];
  return (
    <div className="w-36 max-md:w-auto max-md:flex-1">
      <Select
        aria-label={label}
        value={value || ANY}
        onChange={(next) => onChange(next === ANY ? '' : next)}
        options={[
          { value: ANY, label: `Any ${label.toLowerCase()}` },
          ...shown.map(({ value, label, hint }) => ({ value, label, ...(hint ? { hint } : {}) })),
        ]}
      />
    </div>
  );
}

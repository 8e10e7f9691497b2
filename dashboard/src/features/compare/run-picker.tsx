import { useState } from 'react';
import { useRuns } from '@/api/runs';
import { formatRelative } from '@/lib/format';
import { useDebounced } from '@/lib/use-debounced';
import { useNow } from '@/lib/use-now';
import { statusToken } from '@/model/run/status-token';
import { Combobox } from '@/ui/combobox';
import { StatusDot } from '@/ui/status-dot';
import type { RunSummary } from '@/wire/RunSummary';

type RunPickerProps = {
  label: string;
  value: string | null;
  /** The run that `value` names, as far as it is known. */
  chosen: RunSummary | undefined;
  /** Shown first while the search is empty. */
  suggested: readonly RunSummary[];
  onChange: (id: string) => void;
};

export function RunPicker({ label, value, chosen, suggested, onChange }: RunPickerProps) {
  const [words, setWords] = useState('');
  const q = useDebounced(words.trim(), 200);
  const found = useRuns({ limit: 50, ...(q === '' ? {} : { q }) });
  const now = useNow(60_000);
  const all = found.data?.pages.flatMap((page) => page.items) ?? [];
  const first = q === '' ? suggested : [];
  const shown = [...first, ...all.filter((run) => !first.some(({ id }) => id === run.id))];
  if (chosen && q === '' && !shown.some(({ id }) => id === chosen.id)) shown.unshift(chosen);
  const options = shown.map((run) => ({
    value: run.id,
    label: [run.issue_id, run.title].filter(Boolean).join('  '),
    hint: [
      run.short_id,
      formatRelative(run.created_at, now),
      run.forked_from ? `fork of ${run.forked_from.workflow_id.slice(0, 8)}` : null,
      first.includes(run) ? 'related' : null,
    ]
      .filter(Boolean)
      .join(' · '),
    icon: <StatusDot status={statusToken(run.status)} live={false} />,
  }));
  return (
    <Combobox
      aria-label={label}
      value={value ?? undefined}
      onChange={onChange}
      options={options}
      onSearch={setWords}
      loading={found.isFetching}
      placeholder="Choose a run"
      searchPlaceholder="Title, issue or branch"
      emptyText={found.error ? 'Could not load runs.' : 'No matching runs.'}
    />
  );
}

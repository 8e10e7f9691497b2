import { Input } from '@/ui/input';
import { SegmentedControl } from '@/ui/segmented-control';
import type { UsageView } from './use-usage-view';

type RangePickerProps = Pick<UsageView, 'range' | 'span' | 'set'>;

const segments = [
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: 'all', label: 'All' },
  { value: 'custom', label: 'Custom' },
] as const;

export function RangePicker({ range, span, set }: RangePickerProps) {
  const choose = (preset: (typeof segments)[number]['value']) =>
    preset === 'custom'
      ? set({ range: preset, from: span.first ?? null, to: span.last })
      : set({ range: preset === '30d' ? null : preset, from: null, to: null });
  return (
    <div className="flex max-w-full flex-wrap items-center gap-2">
      <SegmentedControl
        label="Time"
        className="max-w-full overflow-x-auto [scrollbar-width:none]"
        value={range.preset}
        onChange={choose}
        segments={segments}
      />
      {range.preset === 'custom' && (
        <div className="flex items-center gap-1.5 text-xs text-muted">
          <Input
            type="date"
            aria-label="From"
            className="w-34"
            value={range.from}
            max={range.to || undefined}
            onChange={(event) => set({ from: event.target.value })}
          />
          to
          <Input
            type="date"
            aria-label="To"
            className="w-34"
            value={range.to}
            min={range.from || undefined}
            onChange={(event) => set({ to: event.target.value })}
          />
        </div>
      )}
    </div>
  );
}

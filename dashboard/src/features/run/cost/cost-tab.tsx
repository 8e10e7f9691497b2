import type { TabProps } from '../tab';

export default function CostTab({ id, at }: TabProps) {
  return (
    <p className="p-4 text-muted">
      Cost of {id} at {at ?? 'now'}
    </p>
  );
}

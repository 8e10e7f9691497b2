import type { TabProps } from '../tab';

export default function PlanTab({ id, at }: TabProps) {
  return (
    <p className="p-4 text-muted">
      Plan of {id} at {at ?? 'now'}
    </p>
  );
}

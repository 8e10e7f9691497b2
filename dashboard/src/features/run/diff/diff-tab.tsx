import type { TabProps } from '../tab';

export default function DiffTab({ id, at }: TabProps) {
  return (
    <p className="p-4 text-muted">
      Diff of {id} at {at ?? 'now'}
    </p>
  );
}

import type { TabProps } from '../tab';

export default function ReviewTab({ id, at }: TabProps) {
  return (
    <p className="p-4 text-muted">
      Review of {id} at {at ?? 'now'}
    </p>
  );
}

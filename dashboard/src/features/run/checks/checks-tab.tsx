import type { TabProps } from '../tab';

export default function ChecksTab({ id, at }: TabProps) {
  return (
    <p className="p-4 text-muted">
      Checks of {id} at {at ?? 'now'}
    </p>
  );
}

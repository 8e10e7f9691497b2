import type { TabProps } from '../tab';

export default function ArtifactsTab({ id, at }: TabProps) {
  return (
    <p className="p-4 text-muted">
      Artifacts of {id} at {at ?? 'now'}
    </p>
  );
}

import type { TabProps } from '../tab';

export default function EventsTab({ id }: TabProps) {
  return <p className="p-4">{id}</p>;
}

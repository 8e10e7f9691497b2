import type { TabProps } from '../tab';

export default function TraceTab({ id }: TabProps) {
  return <p className="p-4">{id}</p>;
}

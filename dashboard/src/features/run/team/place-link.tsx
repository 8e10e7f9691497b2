import { TimeAgo } from '@/ui/time-ago';
import { SeqLink } from '../seq-link';

type PlaceLinkProps = { run: string; seq: number; at: string };

/** When something happened, and the way to it in the stream. */
export function PlaceLink({ run, seq, at }: PlaceLinkProps) {
  return (
    <span className="ml-auto flex shrink-0 items-center gap-2 text-xs font-normal text-muted">
      <TimeAgo at={at} />
      <SeqLink run={run} seq={seq} className="font-mono text-accent-text hover:underline">
        #{seq}
      </SeqLink>
    </span>
  );
}

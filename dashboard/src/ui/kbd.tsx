import { cn } from '@/lib/cn';
import { keyCaps } from '@/lib/keys';

type KbdProps = {
  /** As in the shortcut registry: `a`, `mod+k`, `g h`. */
  keys: string;
  className?: string;
  /** On a filled button: takes the colour of the text around. */
  bare?: boolean;
};

export function Kbd({ keys, className, bare = false }: KbdProps) {
  return (
    <span className={cn('inline-flex items-center gap-1', className)}>
      {keyCaps(keys).map((caps, stroke) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: strokes of a fixed sequence may repeat.
        <span key={stroke} className="inline-flex items-center gap-0.5">
          {caps.map((cap) => (
            <kbd
              key={cap}
              className={cn(
                'inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm px-1 font-sans text-2xs font-medium',
                bare ? 'bg-current/15' : 'border border-line-strong bg-sunken text-muted',
              )}
            >
              {cap}
            </kbd>
          ))}
        </span>
      ))}
    </span>
  );
}

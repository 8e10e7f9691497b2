import { X } from 'lucide-react';
import { breakpointParts } from '@/model/team/breakpoints';
import { IconButton } from '@/ui/icon-button';

type BreakpointListProps = {
  breakpoints: readonly string[];
  isSaving: boolean;
  onRemove: (text: string) => void;
};

export function BreakpointList({ breakpoints, isSaving, onRemove }: BreakpointListProps) {
  if (breakpoints.length === 0)
    return <p className="text-sm text-muted">This run has no breakpoints.</p>;
  return (
    <ul aria-label="Breakpoints" className="flex flex-col gap-1.5">
      {breakpoints.map((text) => {
        const { place, condition } = breakpointParts(text);
        return (
          <li
            key={text}
            className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-2.5"
          >
            <span aria-hidden className="size-2.5 shrink-0 rounded-full bg-danger" />
            <p className="min-w-0 flex-1 text-xs wrap-anywhere">
              <code className="text-code-fg">{place}</code>
              {condition !== '' && (
                <span className="text-muted">
                  {' '}
                  if <code>{condition}</code>
                </span>
              )}
            </p>
            <IconButton
              aria-label={`Remove ${text}`}
              size="sm"
              icon={<X />}
              disabled={isSaving}
              onClick={() => onRemove(text)}
            />
          </li>
        );
      })}
    </ul>
  );
}

import { Eraser, Lock, Undo2 } from 'lucide-react';
import { useId } from 'react';
import { ValueInput } from '@/features/settings/parts/value-input';
import { isFixed, isHidden, type ServerField, wantedOf } from '@/model/settings/server-fields';
import { Badge } from '@/ui/badge';
import { IconButton } from '@/ui/icon-button';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

type ServerRowProps = {
  field: ServerField;
  /** The edited value; `null` removes it from the file, `undefined` is untouched. */
  edited: JsonValue | undefined;
  error: string | undefined;
  onChange: (value: JsonValue) => void;
  onUndo: () => void;
};

const shownAs = (value: JsonValue) =>
  typeof value === 'string' ? value : value === null ? 'none' : JSON.stringify(value);

/** One value: its name and meaning, its control, and where it comes from. */
export function ServerRow({ field, edited, error, onChange, onUndo }: ServerRowProps) {
  const { value, help, kind } = field;
  const id = useId();
  const fixed = isFixed(value);
  const wanted = wantedOf(value);
  const current = edited === undefined ? (isHidden(wanted) ? '' : wanted) : edited;
  const inFile = value.source === 'file' || value.next !== null;
  return (
    <li className="grid gap-x-5 gap-y-2 border-t border-line px-4 py-3 first:border-t-0 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="min-w-0">
        <label htmlFor={id} className="font-mono text-xs font-medium wrap-anywhere">
          {value.key}
        </label>
        <p id={`${id}-help`} className="text-xs text-pretty text-muted">
          {help}
        </p>
        <p className="mt-1.5 flex flex-wrap items-center gap-1.5 text-xs text-muted">
          <Badge
            tone={fixed ? 'paused' : value.source === 'default' ? 'neutral' : 'accent'}
            {...(fixed ? { icon: <Lock aria-hidden /> } : {})}
          >
            {value.source}
          </Badge>
          {value.source !== 'default' && <span className="wrap-anywhere">{value.source_name}</span>}
        </p>
      </div>
      <div className="min-w-0">
        {fixed ? (
          <>
            <output
              id={id}
              aria-describedby={`${id}-help`}
              className="block rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs wrap-anywhere"
            >
              {shownAs(value.value)}
            </output>
            <p className="mt-1 text-xs text-muted">
              Set by {value.source_name}, which overrides the file.
            </p>
          </>
        ) : (
          <div className="flex items-start gap-1">
            <div className="min-w-0 flex-1">
              <ValueInput
                id={id}
                kind={
                  isHidden(wanted)
                    ? { type: 'text', mono: true, placeholder: shownAs(wanted) }
                    : kind
                }
                value={current}
                onChange={onChange}
                aria-describedby={`${id}-help`}
                aria-invalid={error !== undefined}
              />
            </div>
            {edited !== undefined && (
              <IconButton aria-label={`Undo ${value.key}`} icon={<Undo2 />} onClick={onUndo} />
            )}
            {edited === undefined && inFile && (
              <IconButton
                aria-label={`Remove ${value.key} from the file`}
                icon={<Eraser />}
                onClick={() => onChange(null)}
              />
            )}
          </div>
        )}
        {error && (
          <p role="alert" className="mt-1 text-xs text-failed">
            {error}
          </p>
        )}
        {edited === null && (
          <p className="mt-1 text-xs text-accent-text">
            Will be removed from the file; the default applies.
          </p>
        )}
        {value.next !== null && edited === undefined && (
          <p className="mt-1 text-xs text-needs-you">
            Now <code>{shownAs(value.value)}</code>; takes effect after a restart.
          </p>
        )}
      </div>
    </li>
  );
}

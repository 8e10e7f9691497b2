import { BREAKPOINT_HINT } from '@/model/team/breakpoints';
import { Field } from '@/ui/field';
import { Textarea } from '@/ui/textarea';

type BreakpointFieldProps = { value: string; onChange: (value: string) => void };

/** Where the run stops from its beginning. */
export function BreakpointField({ value, onChange }: BreakpointFieldProps) {
  return (
    <Field label="Breakpoints" optional hint={`One per line. ${BREAKPOINT_HINT}`}>
      {(control) => (
        <Textarea
          {...control}
          mono
          minRows={2}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          placeholder="agent:writer"
          spellCheck={false}
        />
      )}
    </Field>
  );
}

import { TriangleAlert } from 'lucide-react';
import { Card } from '@/ui/card';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Switch } from '@/ui/switch';
import { type Form, idOf } from './form';

/** Where in git the work happens. */
export function OptionsCard({ draft, change, errorOf }: Form) {
  return (
    <Card title="Branch and place">
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Branch"
            optional
            id={idOf('branch')}
            error={errorOf('branch')}
            hint="Made for the run. Empty: named after the issue."
          >
            {(control) => (
              <Input
                {...control}
                mono
                spellCheck={false}
                value={draft.branch}
                onChange={(event) => change({ branch: event.target.value })}
                placeholder="amelia/proj-12"
              />
            )}
          </Field>
          <Field
            label="Start from"
            optional
            id={idOf('base')}
            error={errorOf('base')}
            hint="A commit or branch. Empty: what is checked out."
          >
            {(control) => (
              <Input
                {...control}
                mono
                spellCheck={false}
                value={draft.base}
                onChange={(event) => change({ base: event.target.value })}
                placeholder="HEAD"
              />
            )}
          </Field>
        </div>
        <Switch
          id={idOf('inPlace')}
          checked={draft.inPlace}
          onChange={(inPlace) => change({ inPlace })}
          label="Work in the checkout itself"
          hint={errorOf('inPlace') ?? 'Usually a run has a worktree of its own, beside your files.'}
        />
        {draft.inPlace && (
          <p
            role="status"
            className="flex gap-2 rounded-md bg-needs-you-soft px-3 py-2 text-xs text-needs-you"
          >
            <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            The agents change your own files, and the branch that is checked out. The checkout must
            be clean, and nobody should work in it until the run has ended.
          </p>
        )}
      </div>
    </Card>
  );
}

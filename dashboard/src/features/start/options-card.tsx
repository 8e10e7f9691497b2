import { TriangleAlert } from 'lucide-react';
import { Card } from '@/ui/card';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Switch } from '@/ui/switch';
import { type Form, idOf } from './form';

/** Where in git the work happens. */
export function OptionsCard({ draft, change, errorOf }: Form) {
  return (
    <Card title="Branch and worktree">
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Branch"
            optional
            id={idOf('branch')}
            error={errorOf('branch')}
            hint="Created for the run. Leave empty to name it after the issue."
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
            hint="A commit or branch. Leave empty for the current checkout."
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
          label="Work in the checkout"
          hint={
            errorOf('inPlace') ??
            'By default, a run has its own worktree and does not touch your files.'
          }
        />
        {draft.inPlace && (
          <p
            role="status"
            className="flex gap-2 rounded-md bg-needs-you-soft px-3 py-2 text-xs text-needs-you"
          >
            <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            The agents change your files and the current branch. The checkout must be clean, and you
            should not work in it until the run has ended.
          </p>
        )}
      </div>
    </Card>
  );
}

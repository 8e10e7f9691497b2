import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { ApiError } from '@/api/http';
import { useReplaceProfile } from '@/api/settings';
import { useProfileUndo } from '@/features/settings/profiles/use-profile-undo';
import { agentFaults, drivers } from '@/model/settings/agent-options';
import { isObject, setAt } from '@/model/settings/document-edit';
import { messageAt, problemsOf } from '@/model/settings/problems';
import { profileDocument } from '@/model/settings/profile-document';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import type { ProfileShown } from '@/wire/ProfileShown';

type EditAgentDialogProps = { role: string; profile: ProfileShown; onClose: () => void };

const formId = 'edit-agent';

/** Driver and model of a role; everything else of the profile stays as it is. */
export function EditAgentDialog({ role, profile, onClose }: EditAgentDialogProps) {
  const agent = profile.agents[role];
  const [driver, setDriver] = useState<string>(agent?.driver ?? 'api');
  const [model, setModel] = useState(agent?.model ?? '');
  const replace = useReplaceProfile();
  const undo = useProfileUndo();
  const path = ['agents', role];
  const changed = setAt(
    setAt(profileDocument(profile), [...path, 'driver'], driver),
    [...path, 'model'],
    model.trim(),
  );
  const faults = isObject(changed) ? agentFaults(changed, role) : [];
  const refused = replace.error instanceof ApiError ? replace.error : null;
  const problems = [...faults, ...(refused ? problemsOf(refused.details) : [])];
  const others = problems.filter(
    (one) => one.path !== `agents.${role}.driver` && one.path !== `agents.${role}.model`,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (faults.length > 0 || !isObject(changed)) return;
    replace.mutate(
      { base: profileDocument(profile), profile: { ...changed, name: profile.name } },
      {
        onSuccess: (now) => {
          undo.changed(`Changed ${role} of ${profile.name}`, profile, now);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${role} of ${profile.name}`}
      description="Applies to new runs."
      footer={
        <>
          <Button asChild variant="ghost" className="mr-auto">
            <Link to={`/settings/profiles/${encodeURIComponent(profile.name)}`}>Edit profile</Link>
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            loading={replace.isPending}
            disabled={faults.length > 0}
          >
            Save
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Driver"
          hint={drivers.find((one) => one.value === driver)?.hint}
          error={messageAt(problems, `agents.${role}.driver`)}
        >
          {(control) => (
            <Select {...control} value={driver} onChange={setDriver} options={drivers} />
          )}
        </Field>
        <Field
          label="Model"
          hint="The model’s name, as the driver expects it."
          error={messageAt(problems, `agents.${role}.model`)}
        >
          {(control) => (
            <Input
              {...control}
              mono
              spellCheck={false}
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
          )}
        </Field>
        {(others.length > 0 || (refused && problems.length === 0)) && (
          <div role="alert" className="text-sm wrap-anywhere text-failed">
            {others.map((one) => (
              <p key={one.path + one.message}>
                {one.path}: {one.message}
              </p>
            ))}
            {others.length === 0 && refused?.message}
          </div>
        )}
      </form>
    </Dialog>
  );
}

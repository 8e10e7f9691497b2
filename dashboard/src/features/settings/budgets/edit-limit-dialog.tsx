import { type FormEvent, useState } from 'react';
import { ApiError } from '@/api/http';
import { useChangeServer, useReplaceProfile } from '@/api/settings';
import { NumberInput } from '@/features/settings/parts/number-input';
import { useProfileUndo } from '@/features/settings/profiles/use-profile-undo';
import { toast } from '@/lib/toast';
import { isObject, setAt } from '@/model/settings/document-edit';
import { faultOf } from '@/model/settings/form-field';
import { type Limit, scopes } from '@/model/settings/limits';
import { problemsOf } from '@/model/settings/problems';
import { profileDocument } from '@/model/settings/profile-document';
import { isFixed, wantedOf } from '@/model/settings/server-fields';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import type { ProfileShown } from '@/wire/ProfileShown';
import type { ServerValue } from '@/wire/ServerValue';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

/** `profile: null` is the server's. */
export type EditedLimit = { limit: Limit; value: number | null; profile: ProfileShown | null };

type EditLimitDialogProps = {
  edited: EditedLimit;
  values: ServerValue[] | null;
  onClose: () => void;
};

const units = { usd: '$', tokens: '', calls: '', wall_seconds: 's' };
const hints = {
  usd: 'In US dollars. Leave empty for no limit.',
  tokens: 'Input and output together. Leave empty for no limit.',
  calls: 'Requests to a model. Leave empty for no limit.',
  wall_seconds: 'Active time in seconds, without waiting for you. Leave empty for no limit.',
};
const formId = 'edit-limit';

export function EditLimitDialog({ edited, values, onClose }: EditLimitDialogProps) {
  const { limit, profile } = edited;
  const [value, setValue] = useState<JsonValue>(edited.value);
  const replace = useReplaceProfile();
  const change = useChangeServer();
  const undo = useProfileUndo();
  const { scope, amount } = limit;
  const whole = amount !== 'usd';
  const fault = faultOf({ type: 'number', above: 0, optional: true, whole }, value);
  const error = replace.error ?? change.error;
  const problem = error instanceof ApiError ? problemsOf(error.details)[0] : undefined;

  const leaf = values?.find((one) => one.key === `budgets.${scope}.${amount}`);
  const server = leaf ?? values?.find((one) => one.key === `budgets.${scope}`);
  const blocked =
    profile === null && (!server || isFixed(server))
      ? server
        ? `Set by ${server.source_name}. Change it there.`
        : 'This server’s configuration cannot be changed here.'
      : null;

  const doneIn = (before: ProfileShown, now: ProfileShown) => {
    undo.changed(`Changed the limit of profile ${before.name}`, before, now);
    onClose();
  };
  const doneOnServer = () => {
    const title = 'Changed the limit of the server; it takes effect after a restart';
    toast({ title, tone: 'success' });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (fault || blocked) return;
    if (profile) {
      const base = profileDocument(profile);
      const document = setAt(base, ['budgets', scope, amount], value);
      if (isObject(document))
        replace.mutate(
          { base, profile: { ...document, name: profile.name } },
          { onSuccess: (now) => doneIn(profile, now) },
        );
    } else if (server) {
      const next = leaf ? value : setAt(wantedOf(server), [amount], value);
      change.mutate({ [server.key]: next }, { onSuccess: doneOnServer });
    }
  };
  const title = scopes.find((one) => one.scope === scope)?.title ?? '';
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={onClose}
      title={`${limit.label} of ${title.toLowerCase()}`}
      description={
        profile
          ? `In profile ${profile.name}. Applies to new runs.`
          : 'On the server, for all profiles. Takes effect after a restart.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            disabled={fault !== undefined || blocked !== null}
            loading={replace.isPending || change.isPending}
          >
            Save
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit}>
        <Field
          label="Limit"
          hint={hints[amount]}
          error={blocked ?? fault ?? problem?.message ?? error?.message}
        >
          {(control) => (
            <NumberInput
              {...control}
              optional
              placeholder="no limit"
              unit={units[amount]}
              value={value}
              onChange={setValue}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}

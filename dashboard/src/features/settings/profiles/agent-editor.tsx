import { ChevronRight, CircleAlert, Trash2 } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { AgentOptions } from '@/features/settings/profiles/agent-options';
import type { ProfileDraft } from '@/features/settings/profiles/use-profile-draft';
import { drivers } from '@/model/settings/agent-options';
import { getAt } from '@/model/settings/document-edit';
import { messageAt } from '@/model/settings/problems';
import { AgentAvatar } from '@/ui/agent-avatar';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { agents } from '@/ui/tones';

type AgentEditorProps = {
  role: string;
  about: string | undefined;
  draft: ProfileDraft;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

const textAt = (draft: ProfileDraft, role: string, field: string) => {
  const value = getAt(draft.draft, ['agents', role, field]);
  return typeof value === 'string' ? value : '';
};

/** One role: a line with driver and model, and its fields when it is opened. */
export function AgentEditor({ role, about, draft, open, onOpenChange }: AgentEditorProps) {
  const at = `agents.${role}`;
  const driver = textAt(draft, role, 'driver');
  const model = textAt(draft, role, 'model');
  const hasProblem = messageAt(draft.problems, at) !== undefined;
  return (
    <Collapsible.Root
      open={open}
      onOpenChange={onOpenChange}
      data-path={at}
      className="rounded-md border border-line"
    >
      <Collapsible.Trigger className="group flex h-11 w-full items-center gap-2.5 rounded-md px-3 text-left hover:bg-hover focus-visible:-outline-offset-2">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-subtle transition-transform group-data-[state=open]:rotate-90"
        />
        <AgentAvatar agent={agents.find((one) => one === role) ?? 'system'} name={role} size="sm" />
        <span className="font-medium">{role}</span>
        {about && <span className="truncate text-xs text-muted max-sm:hidden">{about}</span>}
        <span className="ml-auto flex min-w-0 items-center gap-2 text-xs text-muted">
          {hasProblem && (
            <span className="flex items-center gap-1 text-failed">
              <CircleAlert aria-hidden className="size-4" />
              <span className="max-sm:sr-only">to fix</span>
            </span>
          )}
          <span className="max-sm:hidden">{driver}</span>
          <code className="truncate text-fg">{model}</code>
        </span>
      </Collapsible.Trigger>
      <Collapsible.Content className="border-t border-line px-4 py-4">
        <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
          <Field
            label="Driver"
            hint={drivers.find((one) => one.value === driver)?.hint}
            error={messageAt(draft.problems, `${at}.driver`)}
          >
            {(control) => (
              <Select
                {...control}
                value={driver}
                onChange={(next) => draft.set(['agents', role, 'driver'], next)}
                options={drivers}
              />
            )}
          </Field>
          <Field
            label="Model"
            hint="The model’s name, as the driver expects it."
            error={messageAt(draft.problems, `${at}.model`)}
          >
            {(control) => (
              <Input
                {...control}
                mono
                spellCheck={false}
                value={model}
                onChange={(event) => draft.set(['agents', role, 'model'], event.target.value)}
              />
            )}
          </Field>
        </div>
        <AgentOptions role={role} driver={driver} draft={draft} />
        <div className="mt-4 flex justify-end border-t border-line pt-3">
          <Button
            size="sm"
            variant="danger-quiet"
            icon={<Trash2 />}
            onClick={() => draft.remove(['agents', role])}
          >
            Remove {role}
          </Button>
        </div>
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

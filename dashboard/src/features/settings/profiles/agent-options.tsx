import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ValueInput } from '@/features/settings/parts/value-input';
import type { ProfileDraft } from '@/features/settings/profiles/use-profile-draft';
import { optionsOf } from '@/model/settings/agent-options';
import { getAt, isObject } from '@/model/settings/document-edit';
import { messageAt } from '@/model/settings/problems';
import { Button } from '@/ui/button';
import { DropdownMenu } from '@/ui/dropdown-menu';
import { Field } from '@/ui/field';
import { IconButton } from '@/ui/icon-button';
import { Input } from '@/ui/input';

type AgentOptionsProps = { role: string; driver: string; draft: ProfileDraft };

/** The options of an agent: those that are set, each with its control, and a way to set more. */
export function AgentOptions({ role, driver, draft }: AgentOptionsProps) {
  const path = ['agents', role, 'options'];
  const value = getAt(draft.draft, path);
  const options = isObject(value) ? value : {};
  const known = optionsOf(driver);
  const free = known.filter((option) => !Object.hasOwn(options, option.name));
  return (
    <div className="mt-5">
      <div className="flex items-center gap-3">
        <h3 className="flex-1 text-sm font-medium">
          Options{' '}
          <span className="font-normal text-muted">unset options use the driver’s defaults</span>
        </h3>
        {free.length > 0 && (
          <DropdownMenu
            trigger={
              <Button size="sm" variant="ghost" icon={<Plus />}>
                Add option
              </Button>
            }
            items={free.map((option) => ({
              label: option.name,
              onSelect: () => draft.set([...path, option.name], option.start),
            }))}
          />
        )}
      </div>
      <div className="mt-2 flex flex-col gap-3">
        {Object.entries(options).map(([name, current]) => {
          const option = known.find((one) => one.name === name);
          return (
            <div
              key={name}
              data-path={`agents.${role}.options.${name}`}
              className="flex items-start gap-1"
            >
              <Field
                className="min-w-0 flex-1"
                label={<code className="text-xs">{name}</code>}
                hint={option?.help}
                error={messageAt(draft.problems, `agents.${role}.options.${name}`)}
              >
                {(control) => (
                  <ValueInput
                    {...control}
                    kind={option?.kind ?? { type: 'json' }}
                    value={current}
                    onChange={(next) => draft.set([...path, name], next)}
                  />
                )}
              </Field>
              <IconButton
                aria-label={`Remove option ${name}`}
                className="mt-6"
                icon={<Trash2 />}
                onClick={() => draft.remove([...path, name])}
              />
            </div>
          );
        })}
        {known.length === 0 && (
          <FreeOption
            taken={Object.keys(options)}
            onAdd={(name) => draft.set([...path, name], '')}
          />
        )}
      </div>
    </div>
  );
}

type FreeOptionProps = { taken: string[]; onAdd: (name: string) => void };

function FreeOption({ taken, onAdd }: FreeOptionProps) {
  const [name, setName] = useState('');
  const isUsable = name.trim() !== '' && !taken.includes(name.trim());
  const add = () => {
    if (!isUsable) return;
    onAdd(name.trim());
    setName('');
  };
  return (
    <div className="flex items-center gap-1">
      <Input
        mono
        aria-label="New option name"
        placeholder="New option name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && add()}
      />
      <IconButton aria-label="Add option" icon={<Plus />} disabled={!isUsable} onClick={add} />
    </div>
  );
}

import { CirclePlay } from 'lucide-react';
import { useState } from 'react';
import { useLook } from '@/api/start-form';
import { useShortcut } from '@/lib/use-shortcut';
import { definitionsCli } from '@/model/cli/cli-definitions';
import type { DefinitionDetail, DefinitionKind } from '@/model/workflows/definition';
import { blockedBy, breakpointsIn, emptyTask, givenInputs } from '@/model/workflows/task';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { CodedText } from '@/ui/coded-text';
import { CommandBox } from '@/ui/command-box';
import { Field } from '@/ui/field';
import { Textarea } from '@/ui/textarea';
import { BreakpointField } from './breakpoint-field';
import { InputFields } from './input-fields';
import { useStartTask } from './use-start-task';

type StartCardProps = { kind: DefinitionKind; definition: DefinitionDetail; repository: string };

/** Starts a run of the file as it is saved. */
export function StartCard({ kind, definition, repository }: StartCardProps) {
  const { name, inputs, problems } = definition;
  const [draft, setDraft] = useState(emptyTask);
  const look = useLook(repository).data;
  const directory = look ? (look.root ?? '') : repository;
  const { start, isStarting, error } = useStartTask(kind, definition, directory);
  const blocked = blockedBy(kind, draft, problems.length, directory);
  const canStart = blocked === null && !isStarting;
  const submit = () => void (canStart && start(draft));
  useShortcut(
    {
      keys: 'mod+enter',
      label: `Start the ${kind}`,
      group: 'Workflow',
      inInputs: true,
      when: canStart,
    },
    submit,
  );
  const command = definitionsCli.run(kind, {
    directory,
    name,
    prompt: draft.prompt.trim(),
    inputs: givenInputs(draft, inputs),
    breakpoints: breakpointsIn(draft),
  });
  return (
    <Card
      title="Start a run"
      className="min-w-0 self-start lg:col-start-2 lg:row-span-2 lg:row-start-1"
    >
      <div className="flex flex-col gap-3">
        <Field label="Task" optional={kind === 'workflow'}>
          {(control) => (
            <Textarea
              {...control}
              value={draft.prompt}
              onChange={(event) => setDraft({ ...draft, prompt: event.target.value })}
              placeholder={`What the ${kind === 'team' ? 'team' : kind === 'agent' ? 'agent' : 'agents'} should do`}
            />
          )}
        </Field>
        <InputFields
          names={inputs}
          values={draft.inputs}
          onChange={(values) => setDraft({ ...draft, inputs: values })}
        />
        {kind === 'team' && (
          <BreakpointField
            value={draft.breakpoints}
            onChange={(breakpoints) => setDraft({ ...draft, breakpoints })}
          />
        )}
        {error && (
          <p
            role="alert"
            className="text-xs text-pretty whitespace-pre-line wrap-anywhere text-failed"
          >
            <CodedText>{error}</CodedText>
          </p>
        )}
        <Button
          variant="primary"
          icon={<CirclePlay />}
          shortcut="mod+enter"
          loading={isStarting}
          disabled={!canStart}
          onClick={submit}
        >
          Start
        </Button>
        {blocked && <p className="text-xs text-muted">{blocked}</p>}
        <CommandBox command={command} />
      </div>
    </Card>
  );
}

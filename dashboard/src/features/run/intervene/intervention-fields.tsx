import type { JsonObject } from '@/model/inbox/json';
import { type InterventionDraft, modificationOf } from '@/model/team/intervention';
import type { Member } from '@/model/team/roster';
import { Field } from '@/ui/field';
import { Select } from '@/ui/select';
import { Textarea } from '@/ui/textarea';

type InterventionFieldsProps = {
  draft: InterventionDraft;
  /** As it is now. */
  team: JsonObject;
  agents: readonly Member[];
  onChange: (draft: InterventionDraft) => void;
};

/** Radix knows no empty value. */
const ANY = '*';

/** What is asked for an intervention. */
export function InterventionFields(props: InterventionFieldsProps) {
  const { draft, agents, onChange } = props;
  const options = agents.map(({ name, role }) => ({ value: name, label: name, hint: role }));
  if (draft.kind === 'agent_override')
    return (
      <Field
        label="Next agent"
        hint="This agent takes the next turn. Handoffs and rules do not decide it."
      >
        {(control) => (
          <Select
            {...control}
            value={draft.nextAgent || undefined}
            onChange={(nextAgent) => onChange({ ...draft, nextAgent })}
            options={options}
          />
        )}
      </Field>
    );
  if (draft.kind === 'team_modification') return <TeamField {...props} />;
  return (
    <>
      <Field label="Message">
        {(control) => (
          <Textarea
            {...control}
            value={draft.message}
            onChange={(event) => onChange({ ...draft, message: event.target.value })}
            placeholder="What the agent should do differently"
          />
        )}
      </Field>
      <Field label="For">
        {(control) => (
          <Select
            {...control}
            value={draft.agent || ANY}
            onChange={(agent) => onChange({ ...draft, agent: agent === ANY ? '' : agent })}
            options={[{ value: ANY, label: 'The agent that takes the next step' }, ...options]}
          />
        )}
      </Field>
    </>
  );
}

function TeamField({ draft, team, onChange }: InterventionFieldsProps) {
  const found = modificationOf(team, draft.team);
  const isWrong = typeof found === 'string';
  const changes = isWrong || found.changes.length === 0 ? 'No changes yet.' : found.changes;
  return (
    <Field
      label="Team"
      hint={Array.isArray(changes) ? `Changes: ${changes.join(', ')}.` : changes}
      {...(isWrong ? { error: found } : {})}
    >
      {(control) => (
        <Textarea
          {...control}
          mono
          minRows={12}
          maxRows={22}
          spellCheck={false}
          value={draft.team}
          onChange={(event) => onChange({ ...draft, team: event.target.value })}
        />
      )}
    </Field>
  );
}

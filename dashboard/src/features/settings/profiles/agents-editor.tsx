import { Plus } from 'lucide-react';
import { useState } from 'react';
import { AgentEditor } from '@/features/settings/profiles/agent-editor';
import { FormSection } from '@/features/settings/profiles/form-section';
import type { ProfileDraft } from '@/features/settings/profiles/use-profile-draft';
import { getAt, isObject } from '@/model/settings/document-edit';
import { newAgent, roles } from '@/model/settings/profile-document';
import { agentDuty } from '@/ui/agent-token';
import { Button } from '@/ui/button';
import { DropdownMenu } from '@/ui/dropdown-menu';

type AgentsEditorProps = { draft: ProfileDraft };

/** The agents of the profile: a card for each role, opened to edit. */
export function AgentsEditor({ draft }: AgentsEditorProps) {
  const [opened, setOpened] = useState<string | null>(null);
  const agents = getAt(draft.draft, ['agents']);
  const named = isObject(agents) ? Object.keys(agents) : [];
  const order = [...roles.filter((role) => named.includes(role))].map(String);
  const all = [...order, ...named.filter((role) => !order.includes(role))];
  const missing = roles.filter((role) => !named.includes(role));
  const add = (role: string) => {
    const like = getAt(draft.draft, ['agents', 'developer']);
    draft.set(['agents', role], isObject(like) ? like : newAgent());
    setOpened(role);
  };
  return (
    <FormSection
      id="agents"
      title="Agents"
      help="The agents and their models. They all use the profile’s sandbox."
      actions={
        missing.length > 0 && (
          <DropdownMenu
            trigger={
              <Button size="sm" icon={<Plus />}>
                Add agent
              </Button>
            }
            items={missing.map((role) => ({
              label: role,
              hint: agentDuty(role),
              onSelect: () => add(role),
            }))}
          />
        )
      }
    >
      {all.length === 0 && (
        <p className="text-sm text-muted">
          No agents yet. A run needs at least an architect, a developer and a reviewer.
        </p>
      )}
      <div className="flex flex-col gap-2">
        {all.map((role) => (
          <AgentEditor
            key={role}
            role={role}
            about={agentDuty(role)}
            draft={draft}
            open={opened === role}
            onOpenChange={(open) => setOpened(open ? role : null)}
          />
        ))}
      </div>
    </FormSection>
  );
}

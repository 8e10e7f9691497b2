import type { ReactNode } from 'react';
import { FormFieldView } from '@/features/settings/parts/form-field-view';
import { AgentsEditor } from '@/features/settings/profiles/agents-editor';
import { ChecksEditor } from '@/features/settings/profiles/checks-editor';
import { FormSection } from '@/features/settings/profiles/form-section';
import { UnknownFields } from '@/features/settings/profiles/unknown-fields';
import type { ProfileDraft } from '@/features/settings/profiles/use-profile-draft';
import { cn } from '@/lib/cn';
import type { FieldGroup } from '@/model/settings/form-field';
import { basics, budgets, finish, retrying, review, work } from '@/model/settings/profile-fields';

import { sandboxing } from '@/model/settings/sandbox-fields';

type ProfileFormProps = { draft: ProfileDraft };

const wide = { 3: 'lg:grid-cols-3', 4: 'lg:grid-cols-4' };
const agents = { id: 'agents', title: 'Agents' };
const checks = { id: 'checks', title: 'Checks' };
const sections = [basics, agents, checks, work, review, budgets, finish, sandboxing, retrying];

/** Every field of a profile, in groups, with a list of the groups beside it. */
export function ProfileForm({ draft }: ProfileFormProps) {
  return (
    <div className="flex items-start gap-8">
      <div className="flex min-w-0 flex-1 flex-col gap-4 pb-6">
        <Fields group={basics} draft={draft} />
        <AgentsEditor draft={draft} />
        <ChecksEditor draft={draft} />
        {[work, review, budgets, finish, sandboxing, retrying].map((group) => (
          <Fields key={group.id} group={group} draft={draft} />
        ))}
        <UnknownFields document={draft.draft} />
      </div>
      <nav aria-label="Profile sections" className="sticky top-5 w-36 shrink-0 max-xl:hidden">
        <ul className="border-l border-line">
          {sections.map((section) => (
            <li key={section.id}>
              <SectionLink id={section.id}>{section.title}</SectionLink>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

function Fields({ group, draft }: { group: FieldGroup; draft: ProfileDraft }) {
  const shown = group.fields.filter((field) => field.isShown?.(draft.draft) ?? true);
  return (
    <FormSection id={group.id} title={group.title} help={group.help}>
      <div
        className={cn('grid gap-x-5 gap-y-4 sm:grid-cols-2', group.columns && wide[group.columns])}
      >
        {shown.map((field) => (
          <FormFieldView
            key={field.path.join('.')}
            field={field}
            document={draft.draft}
            problems={draft.problems}
            onChange={draft.set}
          />
        ))}
      </div>
    </FormSection>
  );
}

function SectionLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <button
      type="button"
      className="-ml-px flex h-7 w-full items-center border-l border-transparent pl-3 text-left text-xs text-muted hover:border-control hover:text-fg"
      onClick={() => {
        const section = document.getElementById(id);
        section?.scrollIntoView({ block: 'start' });
        section?.focus({ preventScroll: true });
      }}
    >
      {children}
    </button>
  );
}

import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useCheckedText } from '@/api/definitions';
import { useRepository } from '@/api/repository';
import { useCreateTeam } from '@/api/teams';
import { useDebounced } from '@/lib/use-debounced';
import { NEW_TEAM, nameIn, UNCHECKED } from '@/model/workflows/new-team';
import { DefinitionGraph } from './definition-graph';
import { DefinitionText } from './definition-text';
import { NewTeamHeader } from './new-team-header';
import { pageOf } from './page-of';

/** A team is written, checked and drawn at the same time, and saved on the server. */
export default function NewTeamPage() {
  const { path: repository } = useRepository();
  const [text, setText] = useState(NEW_TEAM);
  const rested = useDebounced(text, 250);
  const typed = useCheckedText('team', repository, 'new', rested);
  const create = useCreateTeam();
  const navigate = useNavigate();
  const checked = typed.data ?? UNCHECKED;
  const isChecking = rested !== text || typed.isFetching;
  // What is wrong has no picture: the last one stays.
  const [drawn, setDrawn] = useState(checked);
  if (checked.graph !== null && checked !== drawn) setDrawn(checked);
  const team = checked.definition;
  const canSave = team !== null && !isChecking && !typed.error;
  const save = () =>
    create.mutate(team, {
      onSuccess: () => void navigate(pageOf('team', nameIn(team) ?? '', repository)),
    });
  return (
    <>
      <NewTeamHeader repository={repository} />
      <div className="mx-auto grid max-w-350 gap-4 p-4 md:p-6 lg:grid-cols-[minmax(0,1fr)_26rem]">
        <DefinitionText
          kind="team"
          text={text}
          saved={NEW_TEAM}
          file={null}
          checked={checked}
          error={typed.error}
          isChecking={isChecking}
          onChange={setText}
          save={{
            run: canSave ? save : null,
            isSaving: create.isPending,
            error: create.error?.message ?? null,
          }}
        />
        {drawn.graph !== null && (
          <div className="min-w-0 lg:sticky lg:top-4 lg:self-start">
            <DefinitionGraph kind="team" graph={drawn.graph} definition={drawn.definition} />
          </div>
        )}
      </div>
    </>
  );
}

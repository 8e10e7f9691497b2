// A profile while it is edited: the document it began as, the document it is now, and what the server refused.
import { useState } from 'react';
import { ApiError } from '@/api/http';
import { isConflict, useProfiles, useReplaceProfile } from '@/api/settings';
import { agentFaults } from '@/model/settings/agent-options';
import {
  applyChanges,
  changesOf,
  getAt,
  isObject,
  isSame,
  type JsonObject,
  type Path,
  removeAt,
  setAt,
} from '@/model/settings/document-edit';
import { faultsOf } from '@/model/settings/form-field';
import { type Problem, problemsOf } from '@/model/settings/problems';
import { profileDocument } from '@/model/settings/profile-document';
import { groups } from '@/model/settings/profile-fields';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

const fields = groups.flatMap((group) => group.fields);

function faultsIn(document: JsonObject): Problem[] {
  const agents = getAt(document, ['agents']);
  const roles = isObject(agents) ? Object.keys(agents) : [];
  return [...faultsOf(fields, document), ...roles.flatMap((role) => agentFaults(document, role))];
}

export function useProfileDraft(name: string, saved: JsonObject) {
  const [base, setBase] = useState(saved);
  const [draft, setDraft] = useState(saved);
  const [refused, setRefused] = useState<Problem[]>([]);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const replace = useReplaceProfile(true);
  const { refetch: reread } = useProfiles();

  const change = (next: JsonValue) => {
    if (!isObject(next)) return;
    setDraft(next);
    setRefused([]);
    setFailure(null);
  };
  const faults = faultsIn(draft);

  return {
    draft,
    base,
    changes: changesOf(base, draft),
    faults,
    problems: [...faults, ...refused],
    failure,
    saving: replace.isPending,
    /** Another person has saved the profile meanwhile. */
    isOutdated: !replace.isPending && !isSame(saved, base) && !isSame(saved, draft),
    set: (path: Path, value: JsonValue) => change(setAt(draft, path, value)),
    remove: (path: Path) => change(removeAt(draft, path)),
    replaceAll: change,
    discard: () => {
      setBase(saved);
      setDraft(saved);
      setRefused([]);
      setFailure(null);
    },
    /** One's own changes on top of what is saved now. */
    rebase: () => {
      change(applyChanges(saved, changesOf(base, draft)));
      setBase(saved);
    },
    save: async (): Promise<boolean> => {
      try {
        const shown = await replace.mutateAsync({ base, profile: { ...draft, name } });
        const document = profileDocument(shown);
        setBase(document);
        setDraft(document);
        setFailure(null);
        setRefused([]);
        return true;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (isConflict(error)) {
          // What others have saved meanwhile is shown, never overwritten unseen.
          await reread();
          return false;
        }
        setRefused(problemsOf(error.details));
        setFailure(error);
        return false;
      }
    },
  };
}

export type ProfileDraft = ReturnType<typeof useProfileDraft>;

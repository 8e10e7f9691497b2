import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError } from '@/api/http';
import { useCreateProfile, useProfiles } from '@/api/settings';
import { messageAt, problemsOf } from '@/model/settings/problems';
import { freeName, newProfile, profileDocument, renamed } from '@/model/settings/profile-document';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';

type NewProfileDialogProps = {
  /** The profile to copy; a fresh one without it. */
  from?: string;
  onClose: () => void;
};

const formId = 'new-profile';

export function NewProfileDialog({ from, onClose }: NewProfileDialogProps) {
  const { data: profiles = [] } = useProfiles();
  const taken = profiles.map((profile) => profile.name);
  const source = profiles.find((profile) => profile.name === from);
  const near = source ?? profiles.find((profile) => profile.is_active) ?? profiles[0];
  const [name, setName] = useState(() => freeName(from ? `${from}-copy` : 'work', taken));
  const [repository, setRepository] = useState(near?.repo_root ?? '');
  const create = useCreateProfile();
  const navigate = useNavigate();

  const refused = create.error instanceof ApiError ? create.error : null;
  const problems = refused ? problemsOf(refused.details) : [];
  const isTaken = taken.includes(name.trim()) && !create.isPending && !create.isSuccess;
  const nameError = isTaken
    ? 'A profile with this name already exists.'
    : messageAt(problems, 'name');
  const rest = problems.filter((one) => one.path !== 'name' && one.path !== 'repo_root');

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTaken || name.trim() === '' || repository.trim() === '') return;
    const fresh = source
      ? { ...renamed(profileDocument(source), name.trim()), repo_root: repository.trim() }
      : newProfile(name.trim(), repository.trim());
    create.mutate(
      { ...fresh, name: name.trim() },
      {
        onSuccess: () => {
          onClose();
          navigate(`/settings/profiles/${encodeURIComponent(name.trim())}`);
        },
      },
    );
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={from ? `Duplicate ${from}` : 'New profile'}
      description={
        from
          ? 'Copies every setting. You can change them afterwards.'
          : 'Starts with default settings and agents that use an API. You can change them afterwards.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            loading={create.isPending}
            disabled={isTaken || name.trim() === '' || repository.trim() === ''}
          >
            Create
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <NameField name={name} onChange={setName} error={nameError} />
        <RepositoryField
          repository={repository}
          onChange={setRepository}
          error={messageAt(problems, 'repo_root')}
        />
        {refused && (problems.length === 0 || rest.length > 0) && (
          <p role="alert" className="text-sm wrap-anywhere text-failed">
            {rest.length > 0
              ? rest.map((one) => `${one.path}: ${one.message}`).join('; ')
              : refused.message}
          </p>
        )}
      </form>
    </Dialog>
  );
}

type NameFieldProps = {
  name: string;
  onChange: (name: string) => void;
  error: string | undefined;
};

function NameField({ name, onChange, error }: NameFieldProps) {
  return (
    <Field label="Name" hint="A short name; you also type it in the terminal." error={error}>
      {(control) => (
        <Input
          {...control}
          autoFocus
          mono
          spellCheck={false}
          value={name}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type RepositoryFieldProps = {
  repository: string;
  onChange: (repository: string) => void;
  error: string | undefined;
};

function RepositoryField({ repository, onChange, error }: RepositoryFieldProps) {
  return (
    <Field
      label="Repository"
      hint="The directory of the repository on the server’s machine."
      error={error}
    >
      {(control) => (
        <Input
          {...control}
          mono
          spellCheck={false}
          placeholder="/home/me/project"
          value={repository}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

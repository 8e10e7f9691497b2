import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { SegmentedControl } from '@/ui/segmented-control';
import { Switch } from '@/ui/switch';
import type { ProfileShown } from '@/wire/ProfileShown';
import { type Form, idOf } from './form';

type ReviewFieldsProps = Form & { profile: ProfileShown | undefined };

const said = {
  local: 'All uncommitted changes in the checkout.',
  base: 'All changes since a commit or branch.',
  pull: 'A pull request on the repository’s remote. It is reviewed, not changed.',
};

export function ReviewFields({ draft, change, errorOf, profile }: ReviewFieldsProps) {
  const isPull = draft.changes === 'pull';
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1.5">
        <SegmentedControl
          label="Changes to review"
          className="self-start"
          value={draft.changes}
          onChange={(changes) => change({ changes })}
          segments={[
            { value: 'local', label: 'Local changes' },
            { value: 'base', label: 'Since a base' },
            { value: 'pull', label: 'Pull request' },
          ]}
        />
        <p className="text-xs text-muted">{said[draft.changes]}</p>
      </div>
      {draft.changes === 'base' && (
        <Field label="Since" id={idOf('reviewBase')} error={errorOf('reviewBase')}>
          {(control) => (
            <Input
              {...control}
              mono
              value={draft.reviewBase}
              onChange={(event) => change({ reviewBase: event.target.value })}
              placeholder="main"
            />
          )}
        </Field>
      )}
      {isPull && (
        <Field label="Pull request" id={idOf('pull')} error={errorOf('pull')}>
          {(control) => (
            <Input
              {...control}
              mono
              inputMode="numeric"
              className="max-w-40"
              value={draft.pull}
              onChange={(event) => change({ pull: event.target.value.replace(/^#/, '') })}
              placeholder="12"
            />
          )}
        </Field>
      )}
      <Field
        label="Reviewers"
        optional
        id={idOf('personas')}
        error={errorOf('personas')}
        hint={personasHint(profile)}
      >
        {(control) => (
          <Input
            {...control}
            value={draft.personas}
            onChange={(event) => change({ personas: event.target.value })}
            placeholder="Security, Performance"
          />
        )}
      </Field>
      <Switch
        id={idOf('fix')}
        checked={draft.fix && !isPull}
        disabled={isPull}
        onChange={(fix) => change({ fix })}
        label="Fix what the review finds"
        hint={
          errorOf('fix') ??
          (isPull
            ? 'Not available for pull requests.'
            : 'The Developer changes your checkout. Otherwise, the changes are only reviewed.')
        }
      />
    </div>
  );
}

function personasHint(profile: ProfileShown | undefined): string {
  const usual =
    profile?.strategy === 'competitive' && profile.personas.length > 0
      ? `the profile’s: ${profile.personas.join(', ')}`
      : 'one reviewer';
  return `Reviewer personas, separated by commas. They review in parallel. Leave empty for ${usual}.`;
}

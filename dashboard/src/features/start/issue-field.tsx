import { useState } from 'react';
import { ApiError } from '@/api/http';
import { useIssues } from '@/api/start-form';
import { useDebounced } from '@/lib/use-debounced';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { CodedText } from '@/ui/coded-text';
import { Combobox } from '@/ui/combobox';
import { Field } from '@/ui/field';
import { Markdown } from '@/ui/markdown';
import type { IssueShown } from '@/wire/IssueShown';
import type { ProfileShown } from '@/wire/ProfileShown';
import { type Form, idOf } from './form';

type IssueFieldProps = Form & { profile: ProfileShown };

/** An issue of the profile's tracker: found by words, or named by its key. */
export function IssueField({ draft, change, errorOf, profile }: IssueFieldProps) {
  const [words, setWords] = useState('');
  const q = useDebounced(words.trim(), 250);
  const worktree_path = useDebounced(draft.repository?.trim() ?? '', 400);
  const issues = useIssues({ profile: profile.name, worktree_path, q, limit: 30 }, true);
  const found = issues.data ?? [];
  const chosen = found.find((issue) => issue.key === draft.issue);
  const options = found.map((issue) => ({
    value: issue.key,
    label: `${issue.key}  ${issue.title}`,
    hint: issue.status,
  }));
  if (draft.issue !== '' && !chosen && q === '') {
    const label = [draft.issue, draft.issueTitle].filter(Boolean).join('  ');
    options.unshift({ value: draft.issue, label, hint: '' });
  }
  const choose = (key: string) => {
    const title = found.find((issue) => issue.key === key)?.title ?? '';
    change({ issue: key, issueTitle: title });
  };
  return (
    <div className="flex flex-col gap-3">
      <Field label="Issue" id={idOf('issue')} error={errorOf('issue')}>
        {(control) => (
          <Combobox
            {...control}
            value={draft.issue || undefined}
            onChange={choose}
            options={options}
            onSearch={setWords}
            loading={issues.isFetching}
            allowCustom
            placeholder="Find an issue or enter its key"
            searchPlaceholder="Text or key"
            emptyText={issues.error ? 'The tracker did not answer.' : 'No matching issues.'}
          />
        )}
      </Field>
      {issues.error && <Refused error={issues.error} onText={() => change({ source: 'text' })} />}
      {chosen && <IssueShownBox issue={chosen} />}
    </div>
  );
}

function Refused({ error, onText }: { error: Error; onText: () => void }) {
  const hint = error instanceof ApiError ? error.hint : null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-3 rounded-md border border-line bg-needs-you-soft px-3 py-2 text-xs"
    >
      <p className="min-w-48 flex-1 wrap-anywhere">
        The issues cannot be listed: <CodedText>{error.message}</CodedText>.{' '}
        <CodedText>{hint}</CodedText> You can still enter a key that you know.
      </p>
      <Button size="sm" onClick={onText}>
        Describe the task instead
      </Button>
    </div>
  );
}

function IssueShownBox({ issue }: { issue: IssueShown }) {
  return (
    <article className="rounded-md border border-line bg-sunken/50 px-3 py-2.5">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 text-sm font-medium wrap-anywhere">{issue.title}</h3>
        <Badge>{issue.status}</Badge>
      </div>
      {issue.description.trim() !== '' && (
        <div className="scroll-quiet mt-1.5 max-h-56 overflow-y-auto text-sm">
          <Markdown text={issue.description} />
        </div>
      )}
    </article>
  );
}

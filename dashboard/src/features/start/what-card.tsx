import { GitPullRequest, Hammer } from 'lucide-react';
import { Card } from '@/ui/card';
import { SegmentedControl } from '@/ui/segmented-control';
import type { ProfileShown } from '@/wire/ProfileShown';
import { AttachArea } from './attach-area';
import { AttachedFiles } from './attached-files';
import type { Form } from './form';
import { IssueField } from './issue-field';
import { ReviewFields } from './review-fields';
import { TextFields } from './text-fields';
import type { AttachedFilesState } from './use-attached-files';

type WhatCardProps = Form & { profile: ProfileShown | undefined; attached: AttachedFilesState };

export function WhatCard({ profile, attached, ...form }: WhatCardProps) {
  const { draft, change } = form;
  const hasTracker = profile !== undefined && profile.tracker !== 'noop';
  return (
    <Card
      title="Task"
      actions={
        <SegmentedControl
          label="Kind of run"
          value={draft.kind}
          onChange={(kind) => change({ kind })}
          segments={[
            { value: 'implementation', label: 'Implement', icon: <Hammer aria-hidden /> },
            { value: 'review', label: 'Review', icon: <GitPullRequest aria-hidden /> },
          ]}
        />
      }
    >
      {draft.kind === 'review' ? (
        <ReviewFields {...form} profile={profile} />
      ) : (
        <AttachArea onFiles={attached.add}>
          {hasTracker && (
            <SegmentedControl
              label="Source of the task"
              className="self-start"
              value={draft.source}
              onChange={(source) => change({ source })}
              segments={[
                { value: 'issue', label: 'Issue from the tracker' },
                { value: 'text', label: 'Free text' },
              ]}
            />
          )}
          {draft.source === 'issue' && hasTracker ? (
            <IssueField {...form} profile={profile} />
          ) : (
            <TextFields {...form} />
          )}
          <AttachedFiles attached={attached} errorOf={form.errorOf} />
        </AttachArea>
      )}
    </Card>
  );
}

import { GitPullRequest, Hammer } from 'lucide-react';
import { Card } from '@/ui/card';
import { SegmentedControl } from '@/ui/segmented-control';
import type { ProfileShown } from '@/wire/ProfileShown';
import type { Form } from './form';
import { IssueField } from './issue-field';
import { ReviewFields } from './review-fields';
import { TextFields } from './text-fields';

type WhatCardProps = Form & { profile: ProfileShown | undefined };

export function WhatCard({ profile, ...form }: WhatCardProps) {
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
        <div className="flex flex-col gap-4">
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
            <TextFields {...form} hasTracker={hasTracker} profile={profile?.name} />
          )}
        </div>
      )}
    </Card>
  );
}

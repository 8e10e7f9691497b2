import { Inbox } from 'lucide-react';
import { Section } from '@/kit/section';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';

export function States() {
  return (
    <Section title="States">
      <Card flush>
        <EmptyState
          icon={<Inbox />}
          title="Nothing needs you"
          action={<Button variant="primary">Start a run</Button>}
        >
          Plans to approve, questions and failures appear here.
        </EmptyState>
      </Card>
      <Card flush>
        <ErrorState
          title="The run could not be read"
          message="run `0197-3f2a` not found in the store"
          hint="It may have been deleted in another window."
          onRetry={() => {}}
          requestId="01JD3X8K"
        />
      </Card>
      <Card title="Loading">
        <Skeleton lines={4} />
      </Card>
    </Section>
  );
}

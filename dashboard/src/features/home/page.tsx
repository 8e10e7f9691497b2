import { CirclePlay } from 'lucide-react';
import { Link } from 'react-router';
import { useAttention } from '@/api/attention';
import { useRuns } from '@/api/runs';
import { isAtWork } from '@/model/board/waiting';
import { Button } from '@/ui/button';
import { PageHeader } from '@/ui/page-header';
import { DisconnectedStrip } from './disconnected-strip';
import { Inbox } from './inbox';
import { RunsSection } from './runs-section';
import { Welcome } from './welcome';

/** What needs a person, and below it every run. */
export default function HomePage() {
  const attention = useAttention();
  const recent = useRuns({});
  const runs = recent.data?.pages.flatMap((page) => page.items) ?? [];
  const isFirstTime = recent.isSuccess && runs.length === 0 && attention.items.length === 0;
  return (
    <>
      <PageHeader
        title="Home"
        actions={
          !isFirstTime && (
            <Button asChild variant="primary" size="sm">
              <Link to="/start">
                <CirclePlay aria-hidden />
                Start a run
              </Link>
            </Button>
          )
        }
      />
      <DisconnectedStrip />
      {isFirstTime ? (
        <Welcome />
      ) : (
        <div className="flex flex-col gap-6 p-3 md:px-5 md:py-4">
          <Inbox attention={attention} atWork={runs.filter(isAtWork).length} />
          <RunsSection />
        </div>
      )}
    </>
  );
}

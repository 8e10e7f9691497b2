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
  const isEmpty = recent.isSuccess && runs.length === 0 && attention.items.length === 0;
  // Lists do not have archived runs: someone who put all of them away is not here for the first time.
  const archived = useRuns({ archived: true, limit: 1 }, isEmpty);
  const isFirstTime = isEmpty && archived.data?.pages[0]?.items.length === 0;
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
          <RunsSection isUnknown={isEmpty && !archived.isSuccess} />
        </div>
      )}
    </>
  );
}

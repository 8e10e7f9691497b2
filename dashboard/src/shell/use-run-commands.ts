import { useNavigate } from 'react-router';
import { useRuns } from '@/api/runs';
import { useCommands } from '@/lib/commands';

/** Every run that is known here, to be found by its title, its issue or its id. */
export function useRunCommands(): void {
  const navigate = useNavigate();
  const runs = useRuns({}).data?.pages.flatMap((page) => page.items) ?? [];
  useCommands(
    runs.map((run) => ({
      id: `run ${run.id}`,
      label: run.title,
      group: 'Runs',
      hint: run.issue_id ?? run.short_id,
      keywords: [run.id, run.issue_id ?? '', run.branch ?? '', run.status],
      run: () => void navigate(`/runs/${run.id}`),
    })),
  );
}

import { useNavigate } from 'react-router';
import { useRuns } from '@/api/runs';
import { useCommands } from '@/lib/commands';

/** Every run that is known here, to be found by its title, its issue, its short id or its id. */
export function useRunCommands(): void {
  const navigate = useNavigate();
  const runs = useRuns({}).data?.pages.flatMap((page) => page.items) ?? [];
  useCommands(
    runs.map((run) => ({
      id: `run ${run.id}`,
      label: run.title,
      group: 'Runs',
      hint: [run.short_id, run.issue_id].filter(Boolean).join(' · '),
      keywords: [run.short_id, run.id, run.issue_id ?? '', run.branch ?? '', run.status],
      run: () => void navigate(`/runs/${run.id}`),
    })),
  );
}

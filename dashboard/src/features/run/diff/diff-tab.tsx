import { Maximize2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import type { TabProps } from '../tab';
import { ChangeBody } from './change-body';
import { DiffToolbar } from './diff-toolbar';
import { useChange } from './use-diff';
import { useDiffView } from './use-diff-view';

/** The change in little: the same files and comments as on its own page. */
export default function DiffTab({ id, at }: TabProps) {
  const [task, setTask] = useState<string | null>(null);
  const view = useDiffView();
  const change = useChange(id, task, at);
  const { files, edits, tasks } = change;
  return (
    <div className="flex flex-col gap-3 p-3 [--diff-top:0px] md:p-4">
      <DiffToolbar
        files={files}
        edits={edits}
        view={view}
        tasks={tasks}
        task={task}
        onTask={setTask}
        actions={
          <Button asChild size="sm">
            <Link to={`/runs/${id}/diff${task ? `?task=${encodeURIComponent(task)}` : ''}`}>
              <Maximize2 aria-hidden />
              Review
            </Link>
          </Button>
        }
      />
      <ChangeBody
        run={id}
        change={change}
        view={view}
        listed={files}
        review={at === null ? `diff.${id}` : null}
        isPart={task !== null}
        isPast={at !== null}
      />
    </div>
  );
}

import { Maximize2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import type { TabProps } from '../tab';
import { ChangeStates } from './change-states';
import { CutNotice } from './cut-notice';
import { DiffFiles } from './diff-files';
import { DiffToolbar } from './diff-toolbar';
import { useChange } from './use-diff';
import { useDiffView } from './use-diff-view';

/** The change in little: the same files and comments as on its own page. */
export default function DiffTab({ id, at }: TabProps) {
  const [task, setTask] = useState<string | null>(null);
  const view = useDiffView();
  const { diff, files, tasks, makers } = useChange(id, task, at);
  return (
    <div className="flex flex-col gap-3 p-3 [--diff-top:0px] md:p-4">
      <DiffToolbar
        files={files}
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
      {diff.data?.is_cut && (
        <CutNotice run={id} shown={files.length} all={diff.data.files.length} />
      )}
      {files.length > 0 ? (
        <DiffFiles
          run={id}
          files={files}
          opened={view.opened}
          onOpen={view.open}
          layout={view.layout}
          wrap={view.wrap}
          makers={makers}
          review={at === null ? `diff.${id}` : null}
        />
      ) : (
        <ChangeStates query={diff} isPart={task !== null} isPast={at !== null} />
      )}
    </div>
  );
}

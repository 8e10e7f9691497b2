import { Columns2, FoldVertical, Rows2, UnfoldVertical, WrapText } from 'lucide-react';
import type { ReactNode } from 'react';
import { plural } from '@/lib/format';
import type { EditIndex } from '@/model/diff/provenance';
import type { DiffFile } from '@/model/diff/unified-diff';
import { IconButton } from '@/ui/icon-button';
import { SegmentedControl } from '@/ui/segmented-control';
import { Select } from '@/ui/select';
import type { TaskRef } from '@/wire/log/TaskRef';
import { Counts } from './counts';
import { isOpen } from './diff-files';
import type { DiffView } from './use-diff-view';

type DiffToolbarProps = {
  files: DiffFile[];
  edits: EditIndex | null;
  view: DiffView;
  tasks: TaskRef[];
  task: string | null;
  onTask: (task: string | null) => void;
  actions?: ReactNode;
};

const layouts = [
  { value: 'unified', label: 'Unified', icon: <Rows2 />, iconOnly: true },
  { value: 'split', label: 'Split', icon: <Columns2 />, iconOnly: true },
] as const;

export function DiffToolbar(props: DiffToolbarProps) {
  const { files, edits, view, tasks, task, onTask, actions } = props;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
      {tasks.length > 0 && <TaskChoice tasks={tasks} task={task} onTask={onTask} />}
      {files.length > 0 && (
        <>
          <span className="text-xs whitespace-nowrap text-muted">
            {plural(files.length, 'file')}
          </span>
          <Counts added={added} removed={removed} className="text-xs" />
        </>
      )}
      <div className="ml-auto flex items-center gap-1">
        {files.length > 0 && <ViewButtons files={files} edits={edits} view={view} />}
        {actions}
      </div>
    </div>
  );
}

type ViewButtonsProps = Pick<DiffToolbarProps, 'files' | 'edits' | 'view'>;

function ViewButtons({ files, edits, view }: ViewButtonsProps) {
  const areAllClosed = files.every((file) => !isOpen(file, view.opened, edits));
  return (
    <>
      <IconButton
        aria-label={areAllClosed ? 'Expand all files' : 'Collapse all files'}
        icon={areAllClosed ? <UnfoldVertical /> : <FoldVertical />}
        onClick={() => view.openAll(files, areAllClosed)}
      />
      <IconButton
        aria-label={wrapLabel(view)}
        shortcut="w"
        aria-pressed={view.wrap || view.layout === 'split'}
        disabled={view.layout === 'split'}
        icon={<WrapText />}
        className="aria-pressed:bg-pressed/70 aria-pressed:text-fg"
        onClick={() => view.setWrap(!view.wrap)}
      />
      <SegmentedControl
        label="Diff layout"
        value={view.layout}
        onChange={view.setLayout}
        segments={layouts}
        className="max-md:hidden"
      />
    </>
  );
}

function wrapLabel({ layout, wrap }: DiffView): string {
  if (layout === 'split') return 'Long lines always wrap in the split view';
  return wrap ? 'Do not wrap long lines' : 'Wrap long lines';
}

type TaskChoiceProps = Pick<DiffToolbarProps, 'tasks' | 'task' | 'onTask'>;

const ALL = 'all';

function TaskChoice({ tasks, task, onTask }: TaskChoiceProps) {
  const options = [
    { value: ALL, label: 'All changes' },
    ...tasks.map(({ id, index, title }) => ({
      value: id,
      label: `Task ${index + 1}`,
      hint: title,
    })),
  ];
  const change = (value: string) => onTask(value === ALL ? null : value);
  if (tasks.length <= 3)
    return (
      <SegmentedControl
        label="Show changes of"
        value={task ?? ALL}
        onChange={change}
        segments={options}
      />
    );
  return (
    <Select
      aria-label="Show changes of"
      value={task ?? ALL}
      onChange={change}
      options={options}
      className="w-44"
    />
  );
}

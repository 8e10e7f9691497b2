import { EDITORS, type Editor, setEditor, useEditor } from '@/lib/editor';
import { Card } from '@/ui/card';
import { Select } from '@/ui/select';

const options = Object.entries(EDITORS).map(([value, { name }]) => ({ value, label: name }));

/** Which program the worktree of a run is opened in. */
export function EditorCard() {
  const editor = useEditor((state) => state.editor);
  return (
    <Card title="Editor">
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-60 flex-1 text-muted">
          The menu of a run opens its worktree in this editor, if the server runs on this machine.
        </p>
        <div className="w-44">
          <Select
            aria-label="Editor"
            value={editor}
            onChange={(next) => setEditor(next as Editor)}
            options={options}
          />
        </div>
      </div>
    </Card>
  );
}

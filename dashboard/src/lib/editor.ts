// The editor that worktrees are opened in. Editors register a kind of link with the system.
import { create } from 'zustand';
import { remember, remembered } from '@/lib/storage';

const pathOf = (path: string) => path.split('/').map(encodeURIComponent).join('/');

export const EDITORS = {
  vscode: { name: 'VS Code', link: (path: string) => `vscode://file${pathOf(path)}/` },
  cursor: { name: 'Cursor', link: (path: string) => `cursor://file${pathOf(path)}/` },
  windsurf: { name: 'Windsurf', link: (path: string) => `windsurf://file${pathOf(path)}/` },
  zed: { name: 'Zed', link: (path: string) => `zed://file${pathOf(path)}` },
  idea: {
    name: 'IntelliJ IDEA',
    link: (path: string) => `idea://open?file=${encodeURIComponent(path)}`,
  },
} as const;

export type Editor = keyof typeof EDITORS;

const isEditor = (value: unknown): value is Editor =>
  typeof value === 'string' && Object.hasOwn(EDITORS, value);

export const useEditor = create<{ editor: Editor }>(() => ({
  editor: remembered('editor', isEditor, 'vscode'),
}));

export function setEditor(editor: Editor): void {
  remember('editor', editor);
  useEditor.setState({ editor });
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** What opens a worktree; `null` when there is none, or when it is on another machine. */
export const editorLink = (editor: Editor, worktree: string | null, host: string) =>
  worktree !== null && LOOPBACK.includes(host) ? EDITORS[editor].link(worktree) : null;

import {
  FilePen,
  FileText,
  FolderTree,
  Globe,
  type LucideIcon,
  Search,
  Send,
  Terminal,
  Wrench,
} from 'lucide-react';

const icons: [RegExp, LucideIcon][] = [
  [/submit|send|report/i, Send],
  [/shell|bash|exec|run|command/i, Terminal],
  [/write|edit|patch|create|replace/i, FilePen],
  [/list|glob|tree/i, FolderTree],
  [/search|grep|find/i, Search],
  [/read|open|view|cat/i, FileText],
  [/web|http|fetch|url|browse/i, Globe],
];

export function ToolIcon({ tool }: { tool: string }) {
  const [, Icon] = icons.find(([pattern]) => pattern.test(tool)) ?? [null, Wrench];
  return <Icon />;
}

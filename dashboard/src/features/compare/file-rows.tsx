import { Link } from 'react-router';
import { pairedFiles } from '@/model/compare/compare';
import type { Compared } from '@/wire/Compared';
import { Changes } from './changes';
import type { CompareRow } from './compare-table';

/** Each changed file, with what both did to it. */
export function fileRows({ a, b }: Compared): CompareRow[] {
  return pairedFiles(a.files ?? [], b.files ?? []).map((pair) => ({
    id: pair.name,
    label: <span className="font-mono">{pair.name}</span>,
    a: <Side run={a.id} isGone={!a.files} file={pair.a} path={pair.name} />,
    b: <Side run={b.id} isGone={!b.files} file={pair.b} path={pair.name} />,
    isSame: pair.isSame,
  }));
}

type SideProps = {
  run: string;
  path: string;
  isGone: boolean;
  file: { added: number | null; removed: number | null } | null;
};

function Side({ run, path, isGone, file }: SideProps) {
  if (isGone) return <span className="text-xs text-subtle">no worktree</span>;
  if (!file) return <span className="text-xs text-subtle">not changed</span>;
  return (
    <Link
      to={`/runs/${run}/diff?file=${encodeURIComponent(path)}`}
      title={`Diff of ${path}`}
      className="rounded-sm underline-offset-3 hover:underline"
    >
      <Changes added={file.added} removed={file.removed} />
    </Link>
  );
}

type ChangesProps = { added: number | null; removed: number | null };

/** `+6 −1`, in the colours of a diff. */
export function Changes({ added, removed }: ChangesProps) {
  if (added === null || removed === null) return <span className="text-muted">binary</span>;
  return (
    <span className="tabular inline-flex gap-1.5 font-mono text-xs">
      <span className="text-diff-add-fg">
        <span className="sr-only">added </span>+{added}
      </span>
      <span className="text-diff-del-fg">
        <span className="sr-only">removed </span>−{removed}
      </span>
    </span>
  );
}

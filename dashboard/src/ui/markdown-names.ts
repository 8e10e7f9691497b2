import type { Root, RootContent } from 'mdast';

/** Leaves `__init__` as it is written: in texts about code, two underscores belong to a name. */
export function markdownNames() {
  return (tree: Root, file: { value: unknown }) => {
    const source = String(file.value);
    tree.children = tree.children.flatMap((node) => plain(node, source)) as Root['children'];
  };
}

function plain(node: RootContent, source: string): RootContent[] {
  if ('children' in node) {
    const children = (node.children as RootContent[]).flatMap((child) => plain(child, source));
    Object.assign(node, { children });
    if (node.type === 'strong' && source.startsWith('__', node.position?.start.offset ?? 0)) {
      const mark = (): RootContent => ({ type: 'text', value: '__' });
      return [mark(), ...children, mark()];
    }
  }
  return [node];
}

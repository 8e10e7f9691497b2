import type { Element, Root } from 'hast';

const blocks = /^(p|h[1-6]|ul|ol|li|pre|blockquote|table|tr|hr)$/;

/** A rehype plugin: writes on each block element which source lines it came from. */
export function markdownLines() {
  return (tree: Root): void => {
    for (const node of tree.children) {
      if (node.type === 'element') mark(node, true);
    }
  };
}

function mark(element: Element, outermost: boolean): void {
  if (element.position && blocks.test(element.tagName)) {
    element.properties.dataLineStart = element.position.start.line;
    element.properties.dataLineEnd = element.position.end.line;
    if (outermost) element.properties.dataOutermost = true;
  }
  for (const child of element.children) {
    if (child.type === 'element') mark(child, false);
  }
}

// Agents and workflows from files, and what is wrong with them.

import type { DefinitionProblem } from '@/wire/DefinitionProblem';
import type { GraphSummary } from '@/wire/GraphSummary';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type DefinitionKind = 'workflow' | 'agent';

/** What was found in a text. An agent has no inputs and no graph. */
export type Checked = {
  problems: DefinitionProblem[];
  description: string | null;
  inputs: string[];
  definition: JsonValue | null;
  graph: JsonValue | null;
};

export type Definition = Pick<GraphSummary, 'name' | 'source' | 'path'> & Checked;
export type DefinitionDetail = Definition & { text: string };

/** Lines of the text itself that have a problem. */
export function problemLines(problems: readonly DefinitionProblem[]): Set<number> {
  return new Set(problems.filter(({ file }) => file === null).map(({ line }) => line));
}

/** Where a problem is, and what it is. */
export const placeOf = ({ file, line, column }: DefinitionProblem) =>
  `${file === null ? '' : `${nameOf(file)}:`}${line}:${column}`;

export const wordsOf = ({ path, message }: DefinitionProblem) =>
  path === '' ? message : `${path}: ${message}`;

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** The place of a line and column in a text; the end of the text when it has no such line. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let count = 1; count < line; count += 1) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  const end = text.indexOf('\n', start);
  return Math.min(start + column - 1, end < 0 ? text.length : end);
}

/** The agent or tool of a node, as its file names it. */
export function workerOf(definition: JsonValue | null, node: string): string | null {
  const nodes = fieldOf(definition, 'nodes');
  const found = fieldOf(nodes, node);
  const worker = fieldOf(found, 'agent') ?? fieldOf(found, 'tool') ?? fieldOf(found, 'pattern');
  return typeof worker === 'string' ? worker : null;
}

export function nodeCount(definition: JsonValue | null): number {
  const nodes = fieldOf(definition, 'nodes');
  return nodes !== null && typeof nodes === 'object' ? Object.keys(nodes).length : 0;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return value[name];
}

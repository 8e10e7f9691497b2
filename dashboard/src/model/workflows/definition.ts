// Agents, workflows and teams from files, and what is wrong with them.

import type { DefinitionProblem } from '@/wire/DefinitionProblem';
import type { GraphSummary } from '@/wire/GraphSummary';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type DefinitionKind = 'workflow' | 'agent' | 'team';

/** What was found in a text. An agent has no inputs and no graph; only a team has notes. */
export type Checked = {
  problems: DefinitionProblem[];
  /** What is allowed, and has no effect. */
  notes: DefinitionProblem[];
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
  const found = fieldOf(nodes, node) ?? stepOf(definition, node);
  const worker = fieldOf(found, 'agent') ?? fieldOf(found, 'tool') ?? fieldOf(found, 'pattern');
  return typeof worker === 'string' ? worker : null;
}

/** Words of a team's graph for what every team does. */
const USUAL_LABELS: ReadonlySet<string> = new Set([
  'asked again',
  'asked who continues',
  'counted',
  'done',
  'handoff',
  'limit',
  'next',
  'not done',
  'proposed',
  'tie',
]);

/** Conditions that the file gives. */
export const isOfFile = (kind: DefinitionKind, { label }: { label: string }): boolean =>
  kind !== 'team' || !USUAL_LABELS.has(label);

/** The step of a team whose agents work in steps of its own. */
function stepOf(definition: JsonValue | null, name: string): JsonValue | undefined {
  const patterns = fieldOf(definition, 'collaboration_patterns');
  const steps = listOf(patterns).flatMap((one) =>
    listOf(fieldOf(fieldOf(one, 'config'), 'workflow')),
  );
  return steps.find((step) => fieldOf(step, 'step') === name);
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

export function nodeCount(definition: JsonValue | null): number {
  const nodes = fieldOf(definition, 'nodes');
  return nodes !== null && typeof nodes === 'object' ? Object.keys(nodes).length : 0;
}

export function memberCount(definition: JsonValue | null): number {
  const agents = fieldOf(definition, 'agents');
  return Array.isArray(agents) ? agents.length : 0;
}

/** Where it is from, in a word. */
export const sourceWord = (source: Definition['source']) => (source === 'api' ? 'API' : source);

/** The path of its file; one that was sent to the API has none. */
export const fileOf = ({ source, path }: Pick<Definition, 'source' | 'path'>): string | null =>
  source === 'api' ? null : path;

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return value[name];
}

// Breakpoints of a run as people write them: `KIND[:PATTERN][ if CONDITION]`.

export type BreakpointKind =
  | 'node'
  | 'agent'
  | 'tool'
  | 'path'
  | 'turn'
  | 'error'
  | 'handoff'
  | 'cost'
  | 'event';

export type KindInfo = {
  kind: BreakpointKind;
  label: string;
  /** What is named after the colon; `null`: nothing. */
  names: string | null;
  example: string;
};

export const BREAKPOINT_KINDS: readonly KindInfo[] = [
  { kind: 'agent', label: 'Before a turn of an agent', names: 'Agent', example: 'writer' },
  { kind: 'tool', label: 'Before calls of a tool', names: 'Tool', example: 'shell' },
  { kind: 'path', label: 'Before calls that name a file', names: 'Path', example: 'src/**' },
  { kind: 'node', label: 'Before a node of the graph', names: 'Node', example: 'review' },
  { kind: 'turn', label: 'Before every call to a model', names: null, example: '' },
  { kind: 'error', label: 'After a failed tool call', names: null, example: '' },
  { kind: 'handoff', label: 'After a handoff', names: null, example: '' },
  { kind: 'cost', label: 'Once the run has cost an amount', names: 'USD', example: '0.50' },
  { kind: 'event', label: 'After an event', names: 'Event', example: 'team.handed_off' },
];

/** How they are written, in a line. */
export const BREAKPOINT_HINT =
  'For example `agent:NAME`, `tool:shell`, `path:src/**`, `error` or `cost:0.50`, each optionally followed by ` if CONDITION`.';

export type BreakpointDraft = { kind: BreakpointKind; name: string; condition: string };

export const kindInfo = (kind: BreakpointKind): KindInfo | undefined =>
  BREAKPOINT_KINDS.find((one) => one.kind === kind);

/** As it is sent; `null` while something is missing. */
export function breakpointText({ kind, name, condition }: BreakpointDraft): string | null {
  const hasName = kindInfo(kind)?.names !== null;
  if (hasName && name.trim() === '') return null;
  const place = hasName ? `${kind}:${name.trim()}` : kind;
  return condition.trim() === '' ? place : `${place} if ${condition.trim()}`;
}

/** What a person approves is said by the team, and is no breakpoint. */
export const isBreakpoint = (text: string) => !text.startsWith('approve ');

/** The place and the condition of a breakpoint. */
export function breakpointParts(text: string): { place: string; condition: string } {
  const at = text.indexOf(' if ');
  if (at < 0) return { place: text.trim(), condition: '' };
  return { place: text.slice(0, at).trim(), condition: text.slice(at + 4).trim() };
}

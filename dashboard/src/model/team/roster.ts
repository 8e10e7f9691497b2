// Who is in a team and how they work together, read from what a run was started with, or from a checked file.

import { isObject, type JsonObject, stringIn, stringsIn } from '@/model/inbox/json';
import type { LogEvent } from '@/wire/LogEvent';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type Member = {
  /** As the log has it: members of a team inside another are `desk/writer`. */
  name: string;
  role: string;
  /** Another team in the place of an agent. */
  team: string | null;
};

export type TeamEdge = { from: string; to: string };

export type Roster = {
  name: string;
  description: string;
  /** `handoff`, or the type of the pattern that is the whole team. */
  way: string;
  /** The team itself, then the teams inside it. */
  levels: TeamLevel[];
};

/** The agents of one team, without those of the teams inside it. */
export type TeamLevel = {
  /** What the names of its agents begin with: nothing, or `desk/`. */
  path: string;
  members: Member[];
  /** Who hands to whom, as far as the file says so. */
  edges: TeamEdge[];
};

/** Everybody, those of an inner team after the member in whose place it is. */
export function membersOf({ levels }: Roster): Member[] {
  const at = (path: string): Member[] =>
    (levels.find((level) => level.path === path)?.members ?? []).flatMap((member) => [
      member,
      ...(member.team === null ? [] : at(`${member.name}/`)),
    ]);
  return at('');
}

/** Teams that can be inside each other. */
const MAX_LEVELS = 4;

/** The team of a run; `null` for a run of something else. */
export function rosterOf(events: readonly LogEvent[]): Roster | null {
  const input = inputOf(events);
  return input && readRoster(input.team, input.teams);
}

/** Its document, with the words of its file. */
export const teamOf = (events: readonly LogEvent[]): JsonObject | null =>
  inputOf(events)?.team ?? null;

function inputOf(events: readonly LogEvent[]): { team: JsonObject; teams: JsonObject } | null {
  let input: JsonObject | null = null;
  for (const { kind, session } of events) {
    if (session != null || !('run' in kind) || typeof kind.run === 'string') continue;
    if ('created' in kind.run) {
      const { input: first } = kind.run.created.spec;
      if (!isObject(first) || !isObject(first.team_config)) return null;
      input = first;
    }
    // A person has changed the team: what is different in what it was started with.
    const replaced: JsonValue | undefined = Reflect.get(kind.run, 'team_replaced');
    if (isObject(replaced) && isObject(replaced.input)) input = { ...input, ...replaced.input };
  }
  if (!input || !isObject(input.team_config)) return null;
  return { team: input.team_config, teams: isObject(input.teams) ? input.teams : {} };
}

/** The team of a document with the words of its file. */
export function readRoster(team: JsonValue | null, teams: JsonObject = {}): Roster | null {
  if (!isObject(team)) return null;
  return {
    name: stringIn(team.name) ?? '',
    description: stringIn(team.description) ?? '',
    way: patternOf(team)?.type ?? 'handoff',
    levels: levelsOf(team, teams, '', MAX_LEVELS),
  };
}

function levelsOf(team: JsonObject, teams: JsonObject, path: string, depth: number): TeamLevel[] {
  const full = (name: string) => path + name;
  const members = objectsIn(team.agents).map((agent) => ({
    name: full(stringIn(agent.name) ?? ''),
    role: stringIn(agent.role) ?? '',
    team: stringIn(agent.team),
  }));
  const edges = edgesOf(team).map(({ from, to }) => ({ from: full(from), to: full(to) }));
  const inner = members.flatMap(({ name, team: one }) => {
    const document = one === null ? undefined : teams[one];
    return isObject(document) && depth > 1 ? levelsOf(document, teams, `${name}/`, depth - 1) : [];
  });
  return [{ path, members, edges }, ...inner];
}

type Pattern = { type: string; agents: string[]; coordinator: string | null; config: JsonObject };

/** The pattern that is the whole team. */
function patternOf(team: JsonObject): Pattern | null {
  const [first, ...others] = objectsIn(team.collaboration_patterns);
  if (!first || others.length > 0) return null;
  const pattern = {
    type: stringIn(first.type) ?? '',
    agents: stringsIn(first.agents),
    coordinator: stringIn(first.coordination_agent),
    config: isObject(first.config) ? first.config : {},
  };
  const taking = new Set([...pattern.agents, pattern.coordinator]);
  const names = objectsIn(team.agents).map(({ name }) => stringIn(name));
  return names.every((name) => taking.has(name)) ? pattern : null;
}

function edgesOf(team: JsonObject): TeamEdge[] {
  const pattern = patternOf(team);
  const rules = objectsIn(team.handoff_rules).flatMap((rule) => {
    const [from, to] = [stringIn(rule.from_agent), stringIn(rule.to_agent)];
    return from !== null && to !== null ? [{ from, to }] : [];
  });
  if (!pattern) return rules;
  const { agents, coordinator } = pattern;
  switch (pattern.type) {
    case 'sequential':
      if (rules.length > 0) return rules;
      if (coordinator !== null) return around(coordinator, agents);
      return agents.slice(1).map((to, index) => ({ from: agents[index] ?? to, to }));
    case 'parallel':
      return coordinator === null ? [] : agents.map((from) => ({ from, to: coordinator }));
    case 'consensus': {
      const proposer = coordinator ?? agents[0] ?? '';
      return agents.filter((to) => to !== proposer).map((to) => ({ from: proposer, to }));
    }
    case 'hierarchical':
      return agents.map((to) => ({ from: coordinator ?? '', to })).filter(isBetweenTwo);
    case 'custom':
      return ofSteps(objectsIn(pattern.config.workflow));
    default:
      return rules;
  }
}

const isBetweenTwo = ({ from, to }: TeamEdge) => from !== to;

const around = (centre: string, others: readonly string[]) =>
  others.map((to) => ({ from: centre, to })).filter(isBetweenTwo);

/** From the agent of a step to those that can continue, also behind steps that a person or a command does. */
function ofSteps(steps: JsonObject[]): TeamEdge[] {
  const byName = new Map(steps.map((step) => [stringIn(step.step), step]));
  const following = (step: JsonObject) =>
    Object.entries(step).flatMap(([key, next]) => {
      const found = key.startsWith('next_on_') ? byName.get(stringIn(next)) : undefined;
      return found ? [found] : [];
    });
  const edges = steps.flatMap((step) => {
    const from = stringIn(step.agent);
    const seen = new Set<JsonObject>();
    const agents: string[] = [];
    const open = from === null ? [] : following(step);
    for (let next = open.pop(); next; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      const to = stringIn(next.agent);
      if (to === null) open.push(...following(next));
      else agents.unshift(to);
    }
    return from === null ? [] : agents.map((to) => ({ from, to }));
  });
  return unique(edges.filter(isBetweenTwo));
}

export function unique(edges: readonly TeamEdge[]): TeamEdge[] {
  return [...new Map(edges.map((edge) => [`${edge.from}\n${edge.to}`, edge])).values()];
}

const objectsIn = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

// What a person does to a team without being asked: what is sent, and how the change of a team is found in its text.

import { isObject, type JsonObject, stringIn } from '@/model/inbox/json';
import type { Intervene } from '@/wire/Intervene';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type InterventionDraft = {
  kind: Intervene['intervention_type'];
  message: string;
  /** Empty: the one that takes the next step. */
  agent: string;
  nextAgent: string;
  /** The parts of the team that can be changed, as JSON. */
  team: string;
};

/** The parts of a team that a person can change while it is held. */
const PARTS = ['agents', 'handoff_rules', 'guardrail_policies', 'execution_config'] as const;

/** The text in which a team is changed. */
export function editableTeam(team: JsonObject): string {
  const parts = PARTS.flatMap((name) => (team[name] === undefined ? [] : [[name, team[name]]]));
  return JSON.stringify(Object.fromEntries(parts), null, 2);
}

export type Modification = {
  details: JsonObject;
  /** In a few words, each. */
  changes: string[];
};

/** What is different in the text, or what is wrong with it. */
export function modificationOf(team: JsonObject, text: string): Modification | string {
  const after = parsed(text);
  if (after === null) return 'This is not a JSON object.';
  const unknown = Object.keys(after).find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) return `\`${unknown}\` cannot be changed: use ${PARTS.join(', ')}.`;
  const [before, agents] = [named(team.agents), named(after.agents)];
  if (agents === null) return '`agents` is a list of agents with names.';
  const known = before ?? new Map<string, JsonObject>();
  const added = [...agents].filter(([name]) => !known.has(name));
  const removed = [...known.keys()].filter((name) => !agents.has(name));
  const replaced = [...agents].filter(([name, agent]) => {
    const old = known.get(name);
    return old !== undefined && !isSame(old, agent);
  });
  const others = PARTS.slice(1).filter((name) => !isSame(team[name], after[name]));
  const details: JsonObject = {
    ...(added.length > 0 ? { add_agents: added.map(([, agent]) => agent) } : {}),
    ...(removed.length > 0 ? { remove_agents: removed } : {}),
    ...(replaced.length > 0 ? { replace_agents: replaced.map(([, agent]) => agent) } : {}),
    ...Object.fromEntries(others.map((name) => [name, after[name] ?? emptyOf(name)])),
  };
  const changes = [
    ...added.map(([name]) => `${name} joins`),
    ...removed.map((name) => `${name} leaves`),
    ...replaced.map(([name]) => `${name} changes`),
    ...others.map((name) => `other ${name.replaceAll('_', ' ')}`),
  ];
  return { details, changes };
}

const emptyOf = (name: string): JsonValue => (name === 'execution_config' ? {} : []);

/** As it is sent; `null` while something is missing. */
export function interventionOf(draft: InterventionDraft, team: JsonObject): Intervene | null {
  const { kind, message, agent, nextAgent } = draft;
  switch (kind) {
    case 'instruction': {
      if (message.trim() === '') return null;
      const to = agent === '' ? {} : { agent };
      return { intervention_type: kind, details: { message: message.trim(), ...to } };
    }
    case 'agent_override':
      return nextAgent === ''
        ? null
        : { intervention_type: kind, details: { next_agent: nextAgent } };
    case 'team_modification': {
      const found = modificationOf(team, draft.team);
      if (typeof found === 'string' || found.changes.length === 0) return null;
      return { intervention_type: kind, details: found.details };
    }
    case 'plan_update':
      return null;
  }
}

function parsed(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Agents by their names; `null` when one has none. */
function named(agents: JsonValue | undefined): Map<string, JsonObject> | null {
  if (!Array.isArray(agents)) return null;
  const entries = agents.map((agent) => {
    const name = isObject(agent) ? stringIn(agent.name) : null;
    return isObject(agent) && name !== null ? ([name, agent] as const) : null;
  });
  const all = entries.filter((entry) => entry !== null);
  return all.length === agents.length ? new Map(all) : null;
}

const isSame = (a: JsonValue | undefined, b: JsonValue | undefined) =>
  JSON.stringify(a) === JSON.stringify(b);

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@/model/inbox/json';
import {
  editableTeam,
  type InterventionDraft,
  interventionOf,
  modificationOf,
} from './intervention';

const TEAM: JsonObject = {
  name: 'news',
  agents: [
    { name: 'writer', role: 'writes' },
    { name: 'critic', role: 'judges' },
  ],
  handoff_rules: [{ from_agent: 'writer', to_agent: 'critic' }],
};

const EMPTY: InterventionDraft = {
  kind: 'instruction',
  message: '',
  agent: '',
  nextAgent: '',
  team: editableTeam(TEAM),
};

describe('a change of a team', () => {
  it('is what is different in its text', () => {
    const text = editableTeam(TEAM)
      .replace('judges', 'reads')
      .replace('"writer",\n      "role"', '"author",\n      "role"');
    expect(modificationOf(TEAM, text)).toEqual({
      details: {
        add_agents: [{ name: 'author', role: 'writes' }],
        remove_agents: ['writer'],
        replace_agents: [{ name: 'critic', role: 'reads' }],
      },
      changes: ['author joins', 'writer leaves', 'critic changes'],
    });
    expect(modificationOf(TEAM, JSON.stringify({ agents: TEAM.agents }))).toEqual({
      details: { handoff_rules: [] },
      changes: ['other handoff rules'],
    });
  });

  it.each([
    ['{', 'JSON'],
    ['[]', 'JSON'],
    ['{"agents": [{}]}', 'names'],
    ['{"agents": [], "name": "x"}', '`name` cannot be changed'],
  ])('%s is refused', (text, problem) => {
    expect(modificationOf(TEAM, text)).toContain(problem);
  });
});

describe('an intervention', () => {
  it('is sent when nothing is missing', () => {
    expect(interventionOf(EMPTY, TEAM)).toBeNull();
    expect(interventionOf({ ...EMPTY, message: ' Shorter ', agent: 'writer' }, TEAM)).toEqual({
      intervention_type: 'instruction',
      details: { message: 'Shorter', agent: 'writer' },
    });
    const override: InterventionDraft = { ...EMPTY, kind: 'agent_override' };
    expect(interventionOf(override, TEAM)).toBeNull();
    expect(interventionOf({ ...override, nextAgent: 'critic' }, TEAM)?.details).toEqual({
      next_agent: 'critic',
    });
    const change: InterventionDraft = { ...EMPTY, kind: 'team_modification' };
    expect(interventionOf(change, TEAM)).toBeNull();
    const text = editableTeam(TEAM).replace('judges', 'reads');
    expect(interventionOf({ ...change, team: text }, TEAM)?.details).toHaveProperty(
      'replace_agents',
    );
  });
});

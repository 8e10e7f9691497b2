// What a new team begins with: it works as it is.

import { isObject, stringIn } from '@/model/inbox/json';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import type { Checked } from './definition';

export const NEW_TEAM = `name: news
description: A writer writes a text, and a critic asks for changes until it is good.
default_llm: { provider: deepseek, model: deepseek-chat }
agents:
  - name: writer
    role: writes and revises the text
    prompt_template: |
      You write the text that is asked for: {{ task.prompt }}
      Answer with the whole text. When the critic asks for changes, make them.
  - name: critic
    role: judges the text
    prompt_template: |
      You judge the text of the writer. If it can be improved, list at most three changes.
      If it is good, answer with the whole text and a last line that says APPROVED.
handoff_rules:
  - { from_agent: writer, to_agent: critic }
  - { from_agent: critic, to_agent: writer }
execution_config:
  max_steps: 20
  stop_on: ["text_mention:APPROVED"]
`;

/** Before the server has looked at it. */
export const UNCHECKED: Checked = {
  problems: [],
  notes: [],
  description: null,
  inputs: [],
  definition: null,
  graph: null,
};

export const nameIn = (team: JsonValue | null): string | null =>
  team !== null && isObject(team) ? stringIn(team.name) : null;

// What a person is asked for before an action is done: words, a rule, a limit, or a yes.

import type { LimitName } from '@/wire/LimitName';
import { type Action, type ActionId, commandOf, ruleOf } from './actions';
import { type AnswerDraft, type AnswerField, answerOf, draftOf, faultsOf } from './elicitation';
import type { InboxItem } from './inbox';
import type { JsonObject } from './json';

/** What a form asks before the action is done. */
export function formOf(item: InboxItem, { id, label, wants, asks }: Action) {
  return {
    asks,
    label,
    wants,
    isDanger: id === 'cancel',
    proposed: proposedLimit(item),
    rule: ruleOf(item),
    unit: item.detail.type === 'limit' ? UNITS[item.detail.which] : '',
    commandOf: (words: string, limit: number | null) => commandOf(item, id, words, limit),
    form: wants === 'fields' ? fieldsFormOf(item, id) : null,
  };
}

/** The form for the question of an MCP server: its fields, and what is made of them. */
function fieldsFormOf(item: InboxItem, action: ActionId): FieldsForm | null {
  const { id, detail } = item;
  if (detail.type !== 'elicitation' || detail.fields === null) return null;
  const { server, fields } = detail;
  return {
    name: id,
    title: `Answer to ${server}`,
    fields,
    first: draftOf(fields),
    faultsOf: (draft) => faultsOf(fields, draft),
    answerOf: (draft) => answerOf(fields, draft),
    commandOf: (answer) => commandOf(item, action, JSON.stringify(answer)),
  };
}

type FieldsForm = {
  /** What is typed is kept under this name. */
  name: string;
  title: string;
  fields: readonly AnswerField[];
  first: AnswerDraft;
  faultsOf: (draft: AnswerDraft) => Record<string, string>;
  answerOf: (draft: AnswerDraft) => JsonObject;
  commandOf: (answer: JsonObject) => string | null;
};

const UNITS: Record<LimitName, string> = {
  usd: 'USD',
  tokens: 'tokens',
  calls: 'calls',
  wall_seconds: 's',
};

/** A limit to propose: twice what there was, or a good deal more than what is needed. */
export function proposedLimit(item: InboxItem): number | null {
  if (item.detail.type !== 'limit') return null;
  const { limit, wouldBe, which } = item.detail;
  const most = Math.max((limit ?? 0) * 2, (wouldBe ?? 0) * 2);
  if (most <= 0) return null;
  return which === 'usd' ? Math.ceil(most * 100) / 100 : roundUp(most);
}

/** Up to two leading figures: 1,090 becomes 1,100. */
function roundUp(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / unit) * unit;
}

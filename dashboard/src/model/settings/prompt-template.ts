// The prompts of the agents, as templates: what is fixed in them, and what each run fills in.

export type TemplatePart = {
  kind: 'text' | 'value' | 'tag' | 'note';
  text: string;
  /** What is filled in: `issue.title`. */
  name?: string;
};

/** The template cut at its marks: `{{ value }}`, `{% tag %}`, `{# note #}`. What is not closed is text. */
export function templateParts(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of template.matchAll(/\{\{(.*?)\}\}|\{%.*?%\}|\{#.*?#\}/gs)) {
    if (match.index > end) parts.push({ kind: 'text', text: template.slice(end, match.index) });
    parts.push(partOf(match[0], match[1]));
    end = match.index + match[0].length;
  }
  if (end < template.length) parts.push({ kind: 'text', text: template.slice(end) });
  return parts;
}

function partOf(text: string, inside: string | undefined): TemplatePart {
  if (text.startsWith('{#')) return { kind: 'note', text };
  if (inside === undefined) return { kind: 'tag', text };
  const [name = ''] = inside.replace(/^-|-$/g, '').split('|');
  return { kind: 'value', text, name: name.trim() };
}

const words = new Set(
  'if elif else endif for endfor filter endfilter in not and or is defined set endset true false none loop'.split(
    ' ',
  ),
);

/** The values that a template reads, each once. What a loop names is its own, and only inside: `issue`, `checks`. */
export function variablesOf(template: string): string[] {
  const found = new Set<string>();
  const own: string[] = [];
  for (const part of templateParts(template)) {
    if (part.kind === 'text' || part.kind === 'note') continue;
    const quoted = part.text.slice(2, -2).replaceAll(/"[^"]*"|'[^']*'/g, '');
    // The name of a filter is no value.
    const code = quoted.replace(/^(-?\s*filter)\s+\w+/, '$1');
    const tag = part.kind === 'tag' ? (/^-?\s*(\w+)(?:\s+(\w+))?/.exec(code) ?? []) : [];
    if (tag[1] === 'endfor') own.pop();
    if ((tag[1] === 'for' || tag[1] === 'set') && tag[2]) own.push(tag[2]);
    const plain = code.replaceAll(/\|\s*\w+/g, '').replaceAll(/\.\s*\w+/g, '');
    for (const [name] of plain.matchAll(/[A-Za-z_]\w*/g))
      if (!words.has(name) && !own.includes(name)) found.add(name);
  }
  return [...found];
}

type PromptInfo = { about: string; values: readonly string[] };

/** When each prompt is used, and what a run fills in. */
export const knownPrompts: Readonly<Record<string, PromptInfo>> = {
  'architect.system': { about: 'System prompt of the architect', values: ['directory', 'can_ask'] },
  'architect.start': { about: 'Asks for a plan', values: ['issue', 'design', 'plan', 'checks'] },
  'architect.revise': {
    about: 'Asks for a revised plan',
    values: ['plan', 'problems', 'feedback'],
  },
  'developer.system': { about: 'System prompt of the developer', values: ['directory', 'can_ask'] },
  'developer.task': {
    about: 'Starts a task',
    values: ['issue', 'goal', 'done', 'number', 'total', 'task', 'plan_path', 'told', 'note'],
  },
  'developer.checks': { about: 'Reports failed checks', values: ['checks', 'guidance'] },
  'developer.revise': {
    about: 'Passes on review comments',
    values: ['round', 'items', 'clarified', 'guidance', 'base'],
  },
  'developer.steps': { about: 'Lists the steps without a command', values: ['steps', 'total'] },
  'developer.step': {
    about: 'Reports a failed command',
    values: ['name', 'command', 'end', 'expected', 'output', 'guidance'],
  },
  'developer.interrupted': {
    about: 'Reports an interrupted step',
    values: ['name', 'command', 'expected'],
  },
  'developer.hook': { about: 'Reports a commit rejected by a hook', values: ['output'] },
  'developer.repository': {
    about: 'Reports a nested repository that cannot be committed',
    values: ['output', 'is_submodule'],
  },
  'developer.conflict': {
    about: 'Reports merge conflicts',
    values: ['files', 'text', 'directory'],
  },
  'reviewer.system': { about: 'System prompt of the reviewer', values: ['directory', 'persona'] },
  'reviewer.start': {
    about: 'Asks for a review',
    values: [
      'issue',
      'design',
      'task',
      'number',
      'total',
      'is_last',
      'is_last_parallel',
      'others',
      'is_persons_plan',
      'told',
      'checks',
      'round',
      'earlier',
      'answered',
      'base',
      'diff',
      'cut',
      'is_given',
      'has_git_diff',
      'runs_git',
      'plan_path',
    ],
  },
  'reviewer.clarify': { about: 'Asks to clarify comments', values: ['items'] },
  'evaluator.system': {
    about: 'System prompt of the evaluator',
    values: ['directory', 'has_git_diff'],
  },
  'evaluator.start': {
    about: 'Asks to evaluate a review',
    values: [
      'issue',
      'design',
      'change',
      'is_change_cut',
      'runs_git',
      'base',
      'task',
      'is_last',
      'is_last_parallel',
      'others',
      'is_persons_plan',
      'told',
      'comments',
      'clarified',
      'clarification',
      'diff',
      'cut',
    ],
  },
  'oracle.system': { about: 'System prompt of the oracle', values: ['directory'] },
  'single.system': {
    about: 'System prompt of a single agent',
    values: ['directory', 'read_only', 'can_ask'],
  },
  'common.system': {
    about: 'Part of every system prompt',
    values: [
      'directory',
      'branch',
      'base',
      'date',
      'system',
      'shell',
      'works',
      'layout',
      'checks',
      'is_sandboxed',
      'can_ask',
      'conventions',
      'more_conventions',
      'skills',
    ],
  },
};

/** What the template reads and no run fills in; nothing for prompts that we do not know. */
export function unknownVariables(name: string, template: string): string[] {
  const known = knownPrompts[name];
  return known ? variablesOf(template).filter((one) => !known.values.includes(one)) : [];
}

import { describe, expect, it } from 'vitest';
import { knownPrompts, templateParts, unknownVariables, variablesOf } from './prompt-template';

const shipped = import.meta.glob<string>('../../../../crates/amelia-agents/prompts/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

describe('templates of prompts', () => {
  it('are cut at their marks, and nothing is lost', () => {
    const text =
      'Go to {{ directory }}.{# why #}{% if x %}{{ a | fenced("b}") }}{% endif %} {{ open';
    const parts = templateParts(text);
    expect(parts.map((part) => part.kind)).toEqual([
      'text',
      'value',
      'text',
      'note',
      'tag',
      'value',
      'tag',
      'text',
    ]);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    expect(parts[1]?.name).toBe('directory');
  });

  it.each([
    ['{{ issue.title | fenced("issue title") }}', ['issue']],
    ['{% for check in checks %}{{ check.command }}{{ loop.index }}{% endfor %}', ['checks']],
    ['{% if not done and x %}{% endif %}', ['done', 'x']],
    ['{% for task in done %}{{ task }}{% endfor %}', ['done']],
    ['{% for task in done %}{{ task }}{% endfor %} {{ task }}', ['done', 'task']],
    ['nothing { here } {{ and not closed', []],
  ])('%s reads %j', (template, names) => expect(variablesOf(template)).toEqual(names));

  it('finds what no run fills in', () => {
    expect(unknownVariables('developer.system', '{{ directory }} {{ weather }}')).toEqual([
      'weather',
    ]);
    expect(unknownVariables('unknown', '{{ weather }}')).toEqual([]);
  });

  it('know every prompt that ships with the program, and what it reads', () => {
    const names = Object.keys(shipped).map((path) => path.replace(/^.*\/|\.md$/g, ''));
    expect(names.sort()).toEqual(Object.keys(knownPrompts).sort());
    const unknown = Object.entries(shipped).flatMap(([path, text]) =>
      unknownVariables(path.replace(/^.*\/|\.md$/g, ''), text).map((one) => `${path}: ${one}`),
    );
    expect(unknown).toEqual([]);
  });
});

// Which rules can match a call. The same rules as `fits` in `amelia-core/src/permission.rs`.

import type { Detail } from './detail';

/** What may hang a second command or a file behind the first one, in words. */
const MORE_THAN_ONE = '; & | < > ` $( or several lines';

const PARTS = /[;&|\n`<>]|\$\(/;

/**
 * `beginning`: the begin of the command with a `*`. `exact`: only the whole command. `tool`: it has no command, so only
 * the name of the tool. `none`: no rule but that for every command.
 */
export function ruleShape(detail: Detail): 'beginning' | 'exact' | 'tool' | 'none' {
  if (detail.type !== 'call') return 'beginning';
  if (detail.command === null) return 'tool';
  if (!PARTS.test(detail.command)) return 'beginning';
  return detail.rule === null ? 'none' : 'exact';
}

/** What a rule is asked for with. */
export function ruleQuestion(agent: string, detail: Detail, where: string): string {
  const question = `Allow calls of ${agent} that match this rule, ${where}.`;
  const tool = detail.type === 'call' ? detail.tool : 'Bash';
  switch (ruleShape(detail)) {
    case 'beginning':
      return `${question} Use * for any ending, as in ${tool}(cargo *)`;
    case 'exact':
      return `${question} A rule with * never matches a command with ${MORE_THAN_ONE}`;
    case 'tool':
    case 'none':
      return question;
  }
}

import { describe, expect, it } from 'vitest';
import { afterName, askedCall, isShownWhole } from './asked-call';
import type { Detail } from './detail';

type Call = Extract<Detail, { type: 'call' }>;

const call = (command: string | null, args: object | null = null): Call => ({
  type: 'call',
  tool: 'Bash',
  command,
  rest: args && JSON.stringify(args, null, 2),
  rule: null,
  canAllowAlways: true,
});

describe('the call that an agent asks for', () => {
  it.each<[Call, string, boolean]>([
    [call('sleep 8'), 'Asks to use Bash: `sleep 8`', true],
    [call('sleep 8', { description: 'Waits', timeout: 9 }), 'Asks to use Bash: `sleep 8`', true],
    [call('sleep 8', { sandbox: false }), 'Asks to use Bash: `sleep 8`', false],
    [call('ls\nrm -r build'), 'Asks to use Bash: `ls …`', false],
    [call('echo `id`'), 'Asks to use Bash: echo `id`', true],
    [call(null, { path: 'a.rs' }), 'Asks to use Bash: `{"path":"a.rs"}`', true],
    [call(null), 'Asks to use Bash', true],
    [call('x'.repeat(300)), `Asks to use Bash: \`${'x'.repeat(200)} …\``, false],
  ])('%j', (asked, line, isWhole) => {
    expect([askedCall(asked), isShownWhole(asked)]).toEqual([line, isWhole]);
  });

  it('goes on in lower case behind the name of the agent', () => {
    expect(afterName('Asks to use Bash')).toBe('asks to use Bash');
    expect(afterName('Which port?')).toBe('Which port?');
  });
});

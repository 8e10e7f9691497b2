import { expect, it } from 'vitest';
import type { Detail } from './detail';
import { evidenceOf } from './evidence';

it.each<[Detail, string[]]>([
  [
    { type: 'call', tool: 'Bash', command: 'ls', rest: null, rule: null, canAllowAlways: true },
    ['Bash'],
  ],
  [
    { type: 'call', tool: 'Write', command: null, rest: '{}', rule: null, canAllowAlways: true },
    ['Write'],
  ],
  [
    { type: 'call', tool: 'Bash', command: 'ls', rest: '{}', rule: null, canAllowAlways: true },
    ['Bash', 'Other arguments'],
  ],
  [{ type: 'findings', open: [], canAccept: true }, []],
  [{ type: 'findings', open: ['No test'], canAccept: true }, ['lines']],
  [
    { type: 'output', command: './test.sh', output: 'no', canAccept: false, aboutChecks: true },
    ['./test.sh'],
  ],
  [{ type: 'conflict', files: ['a.rs'], text: '' }, ['lines']],
  [{ type: 'conflict', files: ['a.rs'], text: '<<<<<<<' }, ['lines', 'diff']],
  [{ type: 'none' }, []],
])('%j is shown as %j', (detail, pieces) => {
  const names = evidenceOf(detail).map((piece) =>
    piece.type === 'lines' ? 'lines' : (piece.title ?? piece.language),
  );
  expect(names).toEqual(pieces);
});

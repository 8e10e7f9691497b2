import { expect, it } from 'vitest';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { attachmentsOf } from './attachments';

it('lists the attached files of a run with their places in its worktree', () => {
  const attachments: JsonValue[] = [
    { name: 'shot.png', size: 70, media_type: 'image/png', hash: 'a' },
    { size: 1 },
    'odd',
  ];
  expect(attachmentsOf({ wanted: { issue: 'X', attachments } })).toEqual([
    { name: 'shot.png', path: '.amelia/attachments/shot.png', bytes: 70 },
  ]);
});

it.each<JsonValue | undefined>([
  undefined,
  null,
  'text',
  {},
  { wanted: null },
  { wanted: { attachments: 'none' } },
])('has none in %j', (state) => expect(attachmentsOf(state)).toEqual([]));

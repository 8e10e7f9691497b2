import { expect, it } from 'vitest';
import type { RunDetail } from '@/wire/RunDetail';
import type { TabName } from './tabs';
import { usualTab } from './usual-tab';

it.each<[string, RunDetail['status'], number | null, TabName]>([
  ['review', 'completed', null, 'review'],
  ['review', 'running', null, 'review'],
  ['team', 'completed', null, 'team'],
  ['single', 'running', null, 'diff'],
  ['implementation', 'running', null, 'plan'],
  ['implementation', 'completed', null, 'diff'],
  ['implementation', 'completed', 3, 'plan'],
])('a %s that is %s at %s opens %s', (pipeline, status, at, tab) => {
  expect(usualTab({ pipeline, status }, at)).toBe(tab);
});

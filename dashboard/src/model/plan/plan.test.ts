import { describe, expect, it } from 'vitest';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { filesTouched, lineOfTask, planStateOf, sectionAt, teamPlanOf } from './plan';

const state: JsonValue = {
  draft: {
    markdown: '# T\n\n**Goal:** g\n\n### Task 1: First\n\n```\n# no headline\n```\n\nlast\n',
    plan: {
      goal: 'g',
      tasks: [
        {
          id: '1',
          title: 'First',
          files: [
            { operation: 'modify', path: 'b' },
            { operation: 'test', path: 'b' },
            { operation: 'create', path: 'a' },
          ],
          steps: [{ description: 'do', command: 'make' }, 'rubbish'],
        },
        {
          id: '2',
          title: 'Second',
          files: [{ operation: 'magic', path: 'b' }],
          dependencies: ['1'],
        },
      ],
    },
  },
  problems: ['p', 3],
  task: 1,
};

describe('a plan', () => {
  it('is read from the state, even with missing parts', () => {
    const read = planStateOf(state);
    expect(read.plan?.tasks.map((task) => [task.id, task.steps.length, task.dependencies])).toEqual(
      [
        ['1', 1, []],
        ['2', 0, ['1']],
      ],
    );
    expect([read.problems, read.tasksDone, read.path]).toEqual([['p'], 1, null]);
  });

  it.each([[null], [undefined], ['text'], [{ draft: null }], [{ draft: { plan: [] } }]])(
    'is not there in %j',
    (value) => {
      expect(planStateOf(value).plan).toBeNull();
    },
  );

  it('of a team has the status of each task', () => {
    const tasks: JsonValue[] = [
      { id: '1', title: 'Look', status: 'failed' },
      'rubbish',
      { id: '2' },
    ];
    const plan = teamPlanOf({ team: { plan: { goal: 'g', tasks } } });
    expect(plan?.tasks.map(({ id, status }) => [id, status])).toEqual([
      ['1', 'failed'],
      ['2', ''],
    ]);
    const others: JsonValue[] = [null, {}, { team: {} }, { team: { plan: { tasks: [] } } }];
    for (const none of others) expect(teamPlanOf(none)).toBeNull();
  });

  it('says which files it touches', () => {
    const { plan } = planStateOf(state);
    expect(plan && filesTouched(plan)).toEqual([
      { path: 'a', operations: ['create'], tasks: ['1'] },
      { path: 'b', operations: ['modify', 'test'], tasks: ['1', '2'] },
    ]);
  });

  it('knows the headline above a line, and the line of a task', () => {
    const { markdown, plan } = planStateOf(state);
    const [first] = plan?.tasks ?? [];
    expect([sectionAt(markdown ?? '', 3), sectionAt(markdown ?? '', 11)]).toEqual([
      'T',
      'Task 1: First',
    ]);
    expect(first && lineOfTask(markdown ?? '', first)).toBe(5);
  });
});

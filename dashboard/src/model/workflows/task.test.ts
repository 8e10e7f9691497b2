import { describe, expect, it } from 'vitest';
import { blockedBy, readValue, taskOf } from './task';

describe('a task', () => {
  it('reads values as the command line does', () => {
    expect(['3', '[1]', 'true', 'rivers', '"3"'].map(readValue)).toEqual([
      3,
      [1],
      true,
      'rivers',
      '3',
    ]);
  });

  it('is sent with the inputs that were given', () => {
    const draft = {
      prompt: ' About rivers ',
      breakpoints: '',
      inputs: { topic: 'rivers', limit: '3', old: 'x' },
    };
    expect(taskOf('workflow', 'essay', draft, ['topic', 'limit', 'tone'], '/repo')).toEqual({
      workflow: 'essay',
      prompt: 'About rivers',
      worktree_path: '/repo',
      inputs: { topic: 'rivers', limit: 3 },
    });
    expect(taskOf('agent', 'writer', draft, [], '/repo')).toEqual({
      agent: 'writer',
      prompt: 'About rivers',
      worktree_path: '/repo',
    });
  });

  it('of a team stops where it is told to, and needs no repository', () => {
    const draft = { prompt: 'About rivers', breakpoints: ' agent:writer\n\nerror ', inputs: {} };
    expect(taskOf('team', 'news', draft, [], '')).toEqual({
      team: 'news',
      prompt: 'About rivers',
      worktree_path: '',
      breakpoints: ['agent:writer', 'error'],
    });
    expect(blockedBy('team', draft, 0, '')).toBeNull();
    expect(blockedBy('team', { ...draft, prompt: ' ' }, 0, '')).toMatch('task');
  });

  it('says why it cannot be started', () => {
    const draft = { prompt: '', breakpoints: '', inputs: {} };
    expect(blockedBy('workflow', draft, 0, '')).toMatch('repository');
    expect(blockedBy('workflow', draft, 2, '/repo')).toMatch('problems');
    expect(blockedBy('agent', draft, 0, '/repo')).toMatch('task');
    expect(blockedBy('workflow', draft, 0, '/repo')).toBeNull();
  });
});

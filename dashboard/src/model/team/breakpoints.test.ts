import { describe, expect, it } from 'vitest';
import { breakpointParts, breakpointText, isBreakpoint } from './breakpoints';

describe('a breakpoint', () => {
  it('is written as the command line reads it', () => {
    const draft = { kind: 'tool', name: ' shell ', condition: '' } as const;
    expect(breakpointText(draft)).toBe('tool:shell');
    expect(breakpointText({ ...draft, condition: "args.command == 'ls'" })).toBe(
      "tool:shell if args.command == 'ls'",
    );
    expect(breakpointText({ kind: 'error', name: 'x', condition: '' })).toBe('error');
    expect(breakpointText({ kind: 'agent', name: '  ', condition: '' })).toBeNull();
  });

  it('is not what a person approves', () => {
    expect(['approve tool:shell', 'tool:approve'].map(isBreakpoint)).toEqual([false, true]);
  });

  it('is read as a place and a condition', () => {
    expect(breakpointParts('agent:writer if turns > 2')).toEqual({
      place: 'agent:writer',
      condition: 'turns > 2',
    });
    expect(breakpointParts('review')).toEqual({ place: 'review', condition: '' });
  });
});

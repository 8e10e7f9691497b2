import { describe, expect, it } from 'vitest';
import { argumentsOf, emptyArguments } from './tool-call';

describe('a call of a tool', () => {
  it('has an object as arguments', () => {
    expect(argumentsOf(' ')).toEqual({ value: {} });
    expect(argumentsOf('{"a": [1]}')).toEqual({ value: { a: [1] } });
    for (const wrong of ['[1]', '3', 'null', '{a: 1}'])
      expect(argumentsOf(wrong)).toHaveProperty('error');
  });

  it('begins with what the schema requires', () => {
    const properties = {
      path: { type: 'string' },
      depth: { type: 'integer', default: 2 },
      mode: { enum: ['fast', 'slow'] },
      list: { type: 'array' },
      odd: {},
      left: { type: 'string' },
    };
    const required = ['path', 'depth', 'mode', 'list', 'odd'];
    expect(JSON.parse(emptyArguments({ type: 'object', properties, required }))).toEqual({
      path: '',
      depth: 2,
      mode: 'fast',
      list: [],
      odd: null,
    });
    expect([emptyArguments({ type: 'object' }), emptyArguments(true)]).toEqual(['{}', '{}']);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { cli, nameHome, reaching } from './cli';
import { definitionsCli } from './cli-definitions';
import { memoryCli } from './cli-memory';
import { settingsCli } from './cli-settings';

describe('commands', () => {
  it.each([
    [{ directory: '', issue: 'PROJ-12' }, 'amelia start PROJ-12'],
    [
      { directory: '/src/my app', title: "It's wrong", profile: 'crew' },
      `cd '/src/my app' && amelia start --title 'It'\\''s wrong' --profile crew`,
    ],
    [
      {
        directory: '/src',
        issue: 'A-1',
        branch: 'fix/a',
        base: 'main',
        inPlace: true,
        budget: { usd: 2.5, tokens: 1000, calls: 7, wall_seconds: 90 },
        planFile: 'plan.md',
        design: 'design.md',
        attach: ['a shot.png', 'notes.txt'],
        queue: true,
        plan: true,
      },
      "cd /src && amelia start --attach 'a shot.png' --attach notes.txt --plan-file plan.md --design design.md --branch fix/a --base main --in-place --budget 2.5 --max-tokens 1000 --max-calls 7 --max-time 90s --queue --plan A-1",
    ],
    [{ directory: '', title: '--help' }, 'amelia start --title=--help'],
    [{ directory: '', issue: '-v' }, 'amelia start -- -v'],
    [
      { directory: '', title: 'a', description: 'two\nlines $(rm)' },
      "amelia start --title a --description 'two\nlines $(rm)'",
    ],
  ])('starts %j', (options, line) => expect(cli.start(options)).toBe(line));

  it.each([
    [{ directory: '/src' }, 'cd /src && amelia review'],
    [
      { directory: '', base: 'main', fix: true, personas: ['Security', 'Speed'] },
      'amelia review --base main --fix --personas Security,Speed',
    ],
    [{ directory: '', pullRequest: 12, profile: 'crew' }, 'amelia review --pr 12 --profile crew'],
    [{ directory: '', budget: { tokens: 5 } }, 'amelia review --max-tokens 5'],
  ])('reviews %j', (wanted, line) => expect(cli.review(wanted)).toBe(line));

  it.each([
    [{}, 'amelia usage'],
    [
      { by: 'model', since: '2026-01-01', csv: true } as const,
      'amelia usage --by model --since 2026-01-01 --csv',
    ],
  ])('adds up %j', (wanted, line) => expect(cli.usage(wanted)).toBe(line));
});

describe('commands for definitions', () => {
  const run = { directory: '/src', name: 'essay', prompt: '', inputs: {} };
  it.each([
    [definitionsCli.run('workflow', run), 'cd /src && amelia workflow run essay'],
    [memoryCli.list(' ', ''), 'amelia memory list'],
    [memoryCli.list('long rivers', 'team'), "amelia memory search --scope team 'long rivers'"],
    [memoryCli.show('m12'), 'amelia memory show m12'],
    [
      definitionsCli.run('workflow', {
        ...run,
        prompt: '-x',
        inputs: { topic: 'big rivers', n: '3' },
      }),
      "cd /src && amelia workflow run --input 'topic=big rivers' --input n=3 essay -- -x",
    ],
    [
      definitionsCli.run('agent', { ...run, directory: '', prompt: 'Say it' }),
      "amelia agent run essay 'Say it'",
    ],
    [definitionsCli.call('memory:read_graph', '{}'), "amelia mcp call memory:read_graph '{}'"],
  ])('%s', (made, line) => expect(made).toBe(line));
});

describe('commands for a server with a home of its own', () => {
  afterEach(() => nameHome(null));

  it.each([
    [() => cli.approve('run-1'), "amelia --home '/tmp/my demo' approve run-1"],
    [
      () => cli.start({ directory: '/src', issue: '-v' }),
      "cd /src && amelia --home '/tmp/my demo' start -- -v",
    ],
    [() => settingsCli.stopServer(), "amelia --home '/tmp/my demo' server stop"],
    [() => cli.dashboard(), "amelia --home '/tmp/my demo' dashboard"],
  ])('name it: %s', (make, line) => {
    nameHome('/tmp/my demo');
    expect(make()).toBe(line);
  });

  it.each([
    ['`amelia server stop`, then try again', '`amelia --home /demo server stop`, then try again'],
    ['amelia init', 'amelia --home /demo init'],
    ['an amelia server is there; `codex login`', 'an amelia server is there; `codex login`'],
  ])('are named in what the server says: %s', (text, shown) => {
    nameHome('/demo');
    expect(reaching(text)).toBe(shown);
    nameHome(null);
    expect(reaching(text)).toBe(text);
  });
});

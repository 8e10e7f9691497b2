import { describe, expect, it } from 'vitest';

// The directions of imports: a layer may import itself and what is named here, nothing else.
// Files at the root of `src` put the layers together and may import all of them.
const allowed: Record<string, string[]> = {
  features: ['api', 'model', 'ui', 'lib', 'wire'],
  shell: ['api', 'model', 'ui', 'lib', 'wire'],
  kit: ['ui', 'lib'],
  api: ['model', 'lib', 'wire'],
  model: ['wire'],
  ui: ['lib'],
  lib: [],
  wire: [],
  test: ['api', 'model', 'ui', 'lib', 'wire'],
};

const sources = import.meta.glob<string>('/src/**/*.{ts,tsx}', {
  query: '?raw',
  import: 'default',
  eager: true,
});

function importsOf(file: string, source: string): string[] {
  const found = source.matchAll(/(?:from|import)\s*\(?\s*['"]((?:@\/|\.)[^'"]+)['"]/g);
  return [...found].map(([, specifier = '']) =>
    specifier.startsWith('@/')
      ? specifier.slice(2)
      : new URL(specifier, `file://${file}`).pathname.replace('/src/', ''),
  );
}

function breaks(file: string, target: string): boolean {
  const [layer = '', name = ''] = file.replace('/src/', '').split('/');
  const [targetLayer = '', targetName] = target.split('/');
  if (name === '' || file.includes('.test.')) return false;
  if (layer === 'features' && targetLayer === 'features') return name !== targetName;
  return layer !== targetLayer && !(allowed[layer] ?? []).includes(targetLayer);
}

describe('the sources', () => {
  it('import in one direction only, and no feature another', () => {
    const broken = Object.entries(sources).flatMap(([file, source]) =>
      importsOf(file, source)
        .filter((target) => breaks(file, target))
        .map((target) => `${file} imports ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('live in a known layer, in kebab-case files', () => {
    const strays = Object.keys(sources).filter((file) => {
      const [layer = '', name] = file.replace('/src/', '').split('/');
      return (name !== undefined && !(layer in allowed)) || /[A-Z_]/.test(file);
    });
    expect(strays.filter((file) => !file.startsWith('/src/wire/'))).toEqual([]);
  });

  it('keep `model` free of React', () => {
    const model = Object.entries(sources).filter(([file]) => file.startsWith('/src/model/'));
    expect(
      model.filter(([, source]) => /from ['"]react/.test(source)).map(([file]) => file),
    ).toEqual([]);
  });
});

import { render, screen } from '@testing-library/react';
import { beforeAll, describe, expect, it } from 'vitest';
import { Markdown } from '@/ui/markdown';

// Both are lazy; what still loads when the tests are over would be an error.
beforeAll(() => Promise.all([import('@/ui/markdown-body'), import('@/ui/highlight')]));

async function show(text: string) {
  const { container } = render(<Markdown text={`${text}\n\nend`} />);
  await screen.findByText('end', { selector: 'p[data-line-start]' });
  return container;
}

describe('Markdown', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<iframe src="https://example.com"></iframe>',
    'a <b onclick="alert(1)">b</b> c',
    '<style>*{display:none}</style>',
  ])('shows raw HTML as text: %s', async (text) => {
    const container = await show(text);
    expect(container.querySelector('script, img, iframe, b, style')).toBeNull();
    expect(container.textContent).toContain(text.slice(0, 5));
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,hello)',
    '[x](vbscript:x)',
    '<javascript:alert(1)>',
    '[x](//example.com)',
    '![x](javascript:alert(1))',
  ])('makes no link of %s', async (text) => {
    expect((await show(text)).querySelector('a')).toBeNull();
  });

  it('leaves names with underscores as they are written', async () => {
    const container = await show('Modify calc/__init__.py and **this**');
    expect(container.querySelector('p')?.textContent).toBe('Modify calc/__init__.py and this');
    expect(container.querySelectorAll('strong')).toHaveLength(1);
  });

  it('opens links apart, and shows images as links', async () => {
    const container = await show('[a](https://example.com) ![b](https://example.com/b.png)');
    const links = [...container.querySelectorAll('a')];
    expect(links.map((link) => [link.textContent, link.href, link.rel])).toEqual([
      ['a', 'https://example.com/', 'noopener noreferrer'],
      ['image: b', 'https://example.com/b.png', 'noopener noreferrer'],
    ]);
    expect(container.querySelector('img')).toBeNull();
  });

  it('says which source lines a block came from, and lets the caller wrap it', async () => {
    const text = '# Plan\n\nFirst\nsecond\n\n- one\n- two\n\n```rust\nfn a() {}\n```';
    const { container } = render(
      <Markdown
        text={text}
        renderBlock={(block, { start, end }) => (
          <section title={`${start}-${end}`}>{block}</section>
        )}
      />,
    );
    await screen.findByTitle('9-11');
    const lines = (selector: string) =>
      [...container.querySelectorAll<HTMLElement>(selector)].map(
        ({ dataset }) => `${dataset.lineStart}-${dataset.lineEnd}`,
      );
    expect(lines('h1, p, li, div[data-line-start]')).toEqual(['1-1', '3-4', '6-6', '7-7', '9-11']);
    const wrapped = [...container.querySelectorAll('section')].map((section) => section.title);
    expect(wrapped).toEqual(['1-1', '3-4', '6-7', '9-11']);
  });
});

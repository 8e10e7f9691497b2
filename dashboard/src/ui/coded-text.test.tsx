import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { CodedText } from '@/ui/coded-text';
import { ErrorState } from '@/ui/error-state';
import { Field } from '@/ui/field';
import { ToastCard } from '@/ui/toast-card';

describe('a text of the server', () => {
  it.each([
    ['run `codex login` once', 'run <codex login> once'],
    ['`a` and `b`', '<a> and <b>'],
    ['nothing to mark', 'nothing to mark'],
    ['an odd ` stays', 'an odd ` stays'],
    ['<b>`<i>`</b>', '<b><<i>></b>'],
  ])('%s', (text, expected) => {
    const { container } = render(<CodedText>{text}</CodedText>);
    for (const code of container.querySelectorAll('code'))
      code.textContent = `<${code.textContent}>`;
    expect(container.textContent).toBe(expected);
  });

  it('has its code in errors, at fields and in notices', () => {
    const { container } = render(
      <>
        <ErrorState title="No" message="`a` is missing" hint="run `b`" />
        <Field label="Name" error="needs `c`">
          {(control) => <input {...control} />}
        </Field>
        <ToastCard
          toast={{
            id: 1,
            title: '`d` failed',
            description: 'see `e`',
            tone: 'error',
            duration: null,
          }}
        />
      </>,
    );
    const codes = [...container.querySelectorAll('code')].map((code) => code.textContent);
    expect(codes).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

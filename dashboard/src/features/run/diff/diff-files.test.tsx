import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { beforeEach, describe, expect, it } from 'vitest';
import { editIndexOf } from '@/model/diff/provenance';
import { parseUnified } from '@/model/diff/unified-diff';
import { Transcript } from '@/model/stream/transcript';
import { unsent, useReview } from '../comments/store';
import { DiffFiles } from './diff-files';

const evil = '<img src=x onerror=alert(1)>';
const added = [evil, '</script><script>alert(2)</script>', 'if (a\u202e) {'];
const text = `diff --git a/${evil} b/${evil}\nnew file mode 100644\n--- /dev/null\n+++ b/${evil}\n@@ -0,0 +1,3 @@ <b>x</b>\n${added.map((line) => `+${line}`).join('\n')}\n`;

function Kept() {
  const comments = unsent(useReview('diff.test'));
  return <output>{comments.map((one) => `${one.place.kind} ${one.text}`).join()}</output>;
}

function show() {
  return render(
    <MemoryRouter>
      <DiffFiles
        run="test"
        files={parseUnified(text)}
        opened={new Map()}
        onOpen={() => {}}
        layout="unified"
        wrap
        edits={editIndexOf(new Transcript(), '/w')}
        review="diff.test"
      />
      <Kept />
    </MemoryRouter>,
  );
}

beforeEach(() => localStorage.clear());

describe('a change', () => {
  it('shows what it says as text, and names what cannot be seen', () => {
    const { container } = show();
    expect(container.querySelector('img, script, b')).toBeNull();
    const shown = [...container.querySelectorAll('td.diff-code')].map((cell) => cell.textContent);
    expect(shown).toEqual([added[0], added[1], 'if (a⟨U+202E⟩) {']);
    screen.getByText('origin unknown');
  });

  it('takes a comment by keyboard and keeps it', async () => {
    show();
    const user = userEvent.setup({ delay: null });
    screen.getByRole('button', { name: 'Comment on line 1' }).focus();
    await user.keyboard('{ArrowDown}c');
    const box = screen.getByRole('textbox', { name: /:2$/ });
    expect(document.activeElement).toBe(box);
    await user.paste(`No ${evil}`);
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(document.querySelector('output')?.textContent).toBe(`diff No ${evil}`);
    expect(document.querySelector('img')).toBeNull();
    expect(localStorage.getItem('amelia.review.diff.test')).toContain('onerror');
  });
});

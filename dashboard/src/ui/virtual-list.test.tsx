import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { VirtualList } from '@/ui/virtual-list';

const ROW = 20;
const COUNT = 1_000;
/** Nothing is laid out here: this is what it would come to. */
const SIZES = { clientHeight: 400, scrollHeight: COUNT * ROW, offsetHeight: ROW };

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  for (const [name, value] of Object.entries(SIZES)) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  }
});

afterEach(() => {
  for (const name of Object.keys(SIZES)) Reflect.deleteProperty(HTMLElement.prototype, name);
  vi.unstubAllGlobals();
});

it('draws what is visible when the reader leaves the end', () => {
  const rows = () => (
    <VirtualList
      label="Rows"
      count={COUNT}
      itemKey={(index) => index}
      estimateSize={() => ROW}
      renderItem={(index) => <span>row {index}</span>}
      stickToBottom
    />
  );
  const { rerender } = render(rows());
  for (let turn = 0; turn < 3; turn += 1) rerender(rows());
  expect(screen.getByText(`row ${COUNT - 1}`)).toBeDefined();
  const list = screen.getByRole('list', { name: 'Rows' });
  fireEvent.wheel(list);
  list.scrollTop = 500 * ROW;
  fireEvent.scroll(list);
  expect(screen.getByText('row 505')).toBeDefined();
  expect(screen.queryByText(`row ${COUNT - 1}`)).toBeNull();
});

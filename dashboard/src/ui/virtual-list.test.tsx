import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { VirtualList } from '@/ui/virtual-list';

const ROW = 20;
const COUNT = 1_000;
/** Nothing is laid out here: this is what it would come to. */
const SIZES = { clientHeight: 400, scrollHeight: COUNT * ROW, offsetHeight: ROW };

type Entries = { target: Element }[];
/** What is called when the size of an element changes. */
const observers = new Map<Element, ((entries: Entries) => void)[]>();

function resize(...targets: Element[]): void {
  for (const target of targets) for (const tell of observers.get(target) ?? []) tell([{ target }]);
}

beforeEach(() => {
  observers.clear();
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly tell: (entries: Entries) => void) {}
      observe(element: Element) {
        observers.set(element, [...(observers.get(element) ?? []), this.tell]);
      }
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

it('draws what is visible when the reader leaves the end', () => {
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

it('stays at its end when it gets smaller, until the reader leaves it', () => {
  render(rows());
  const list = screen.getByRole('list', { name: 'Rows' });
  // A strip above it takes some of its room.
  list.scrollTop = SIZES.scrollHeight - SIZES.clientHeight - 40;
  resize(list);
  expect(list.scrollTop).toBe(SIZES.scrollHeight);
  fireEvent.wheel(list);
  list.scrollTop = 500 * ROW;
  fireEvent.scroll(list);
  resize(list);
  expect(list.scrollTop).toBe(500 * ROW);
});

it('stays at its end when rows change their heights and all together do not', () => {
  render(rows());
  const list = screen.getByRole('list', { name: 'Rows' });
  const end = SIZES.scrollHeight - SIZES.clientHeight;
  list.scrollTop = end;
  const heights = new Map([
    ['975', ROW - 7],
    ['990', ROW + 7],
  ]);
  const changed = [...heights].map(([index, height]) => {
    const row = list.querySelector(`[data-index="${index}"]`);
    if (!row) throw new Error(`row ${index} is not drawn`);
    Object.defineProperty(row, 'offsetHeight', { get: () => height });
    return row;
  });
  act(() => resize(...changed));
  expect(list.scrollTop).toBe(end);
});

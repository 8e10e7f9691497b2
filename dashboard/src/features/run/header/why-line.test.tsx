import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { WhyLine } from './why-line';

afterEach(cleanup);

it.each([
  ['The limit is 300 tokens', 'The limit is 300 tokens. 3m ago'],
  ['Sum or product?', 'Sum or product? 3m ago'],
  ['Start it when you are ready.', 'Start it when you are ready. 3m ago'],
])('ends the sentence before what follows: %s', (message, text) => {
  const { container } = render(
    <WhyLine tone="needs-you" title="Waiting." message={message}>
      {' '}
      3m ago
    </WhyLine>,
  );
  expect(container.textContent).toBe(`Waiting. ${text}`);
});

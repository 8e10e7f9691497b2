import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, it } from 'vitest';
import { offerPageSlot } from '@/lib/page-slot';
import { fileOf } from '@/model/workflows/definition';
import { DefinitionHeader } from './definition-header';
import { DefinitionText } from './definition-text';

afterEach(cleanup);

const CHECKED = {
  problems: [],
  notes: [],
  description: null,
  inputs: [],
  definition: null,
  graph: null,
};

function show(source: 'api' | 'home', path: string) {
  const definition = { name: 'note', source, path };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <div ref={offerPageSlot} />
        <DefinitionHeader kind="workflow" definition={definition} repository="" />
        <DefinitionText
          kind="workflow"
          text="name: other"
          saved="name: note"
          file={fileOf(definition)}
          checked={CHECKED}
          error={null}
          isChecking={false}
          onChange={() => {}}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

it('names the file of a workflow', () => {
  show('home', '/home/workflows/note.yaml');
  expect(screen.getByText('home')).toBeTruthy();
  expect(screen.getByText('File')).toBeTruthy();
  expect(screen.getAllByText('/home/workflows/note.yaml')).toHaveLength(2);
});

it('names no file of a workflow that was sent to the API', () => {
  show('api', 'api:workflows/note');
  expect(screen.getByText('API')).toBeTruthy();
  expect(screen.queryByText('File')).toBeNull();
  expect(screen.queryByText(/api:workflows/)).toBeNull();
  expect(screen.getByText('Checked as you type, and not saved: send it to the API.')).toBeTruthy();
});

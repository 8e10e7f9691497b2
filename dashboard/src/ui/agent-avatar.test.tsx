import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { AgentAvatar } from './agent-avatar';
import { AgentGroup } from './agent-group';
import { AgentLegend } from './agent-legend';

afterEach(cleanup);

it('names the agent behind a letter, and says what it does', () => {
  render(<AgentAvatar agent="evaluator" name="evaluator" size="sm" />);
  const badge = screen.getByRole('img', { name: 'Evaluator' });
  expect(badge.textContent).toBe('E');
  expect(badge.closest('[title]')?.getAttribute('title')).toBe(
    'Evaluator. Decides which review comments to act on.',
  );
});

it('has the word beside the letter where there is room, and says it once', () => {
  render(<AgentAvatar agent="architect" name="architect" withName="wide" />);
  expect(screen.getByText('Architect').getAttribute('aria-hidden')).toBe('true');
  expect(screen.getByRole('img', { name: 'Architect' })).toBeTruthy();
});

it('names the program and the person', () => {
  render(
    <>
      <AgentAvatar agent="system" />
      <AgentAvatar agent="human" />
    </>,
  );
  expect(screen.getAllByRole('img').map((one) => one.getAttribute('aria-label'))).toEqual([
    'Amelia',
    'You',
  ]);
});

it('explains every letter once in the legend', () => {
  render(<AgentLegend label="Agents" agents={['architect', 'developer', 'architect', 'human']} />);
  expect(screen.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
    'AArchitect',
    'DDeveloper',
    'YYou',
  ]);
});

it('has two letters where another agent that is seen with it has the same', () => {
  const agents = ['coder', 'critic', 'writer'];
  render(
    <AgentGroup agents={agents}>
      <AgentLegend label="Agents" agents={agents} />
    </AgentGroup>,
  );
  expect(screen.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
    'CoCoder',
    'CrCritic',
    'WWriter',
  ]);
});

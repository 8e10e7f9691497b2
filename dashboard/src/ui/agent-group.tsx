import { createContext, type ReactNode, useContext } from 'react';
import { agentMark } from '@/ui/agent-token';

const SEPARATOR = '\n';
/** One text, so that the same names are the same value. */
const Names = createContext('');

type AgentGroupProps = { agents: Iterable<string>; children: ReactNode };

/** Agents that are seen together: no two of them have the same mark. */
export function AgentGroup({ agents, children }: AgentGroupProps) {
  const names = [...new Set(agents)].sort().join(SEPARATOR);
  return <Names value={names}>{children}</Names>;
}

/** The mark of an agent among those that it is seen with. */
export function useAgentMark(name: string): string {
  const names = useContext(Names);
  return agentMark(name, names === '' ? [] : names.split(SEPARATOR));
}

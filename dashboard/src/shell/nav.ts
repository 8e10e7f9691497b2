import {
  BrainCircuit,
  ChartNoAxesColumn,
  CirclePlay,
  Columns2,
  House,
  type LucideIcon,
  Plug,
  Settings,
  Stethoscope,
  Users,
  Workflow,
} from 'lucide-react';

type Place = {
  id: string;
  to: string;
  label: string;
  keys: string;
  icon: LucideIcon;
  more?: boolean;
};

/** The places of the sidebar, each with its `g …` keys. Those with `more` are behind a menu on a phone. */
export const navItems = [
  { id: 'home', to: '/', label: 'Home', keys: 'g h', icon: House },
  { id: 'start', to: '/start', label: 'Start', keys: 'g s', icon: CirclePlay },
  { id: 'workflows', to: '/workflows', label: 'Workflows', keys: 'g w', icon: Workflow },
  { id: 'teams', to: '/teams', label: 'Teams', keys: 'g e', icon: Users, more: true },
  { id: 'usage', to: '/usage', label: 'Usage', keys: 'g u', icon: ChartNoAxesColumn },
  { id: 'compare', to: '/compare', label: 'Compare', keys: 'g c', icon: Columns2, more: true },
  { id: 'mcp', to: '/mcp', label: 'MCP servers', keys: 'g m', icon: Plug, more: true },
  { id: 'memory', to: '/memory', label: 'Memory', keys: 'g y', icon: BrainCircuit, more: true },
  { id: 'settings', to: '/settings', label: 'Settings', keys: 'g t', icon: Settings },
  { id: 'doctor', to: '/doctor', label: 'Doctor', keys: 'g d', icon: Stethoscope, more: true },
] as const satisfies readonly Place[];

export type NavItem = (typeof navItems)[number];
export type NavId = NavItem['id'];
export type Counts = Partial<Record<NavId, number>>;

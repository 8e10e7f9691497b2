import {
  ChartNoAxesColumn,
  CirclePlay,
  Columns2,
  House,
  Settings,
  Stethoscope,
} from 'lucide-react';

/** The places of the sidebar, each with its `g …` keys. */
export const navItems = [
  { id: 'home', to: '/', label: 'Home', keys: 'g h', icon: House },
  { id: 'start', to: '/start', label: 'Start', keys: 'g s', icon: CirclePlay },
  { id: 'usage', to: '/usage', label: 'Usage', keys: 'g u', icon: ChartNoAxesColumn },
  { id: 'compare', to: '/compare', label: 'Compare', keys: 'g c', icon: Columns2 },
  { id: 'settings', to: '/settings', label: 'Settings', keys: 'g t', icon: Settings },
  { id: 'doctor', to: '/doctor', label: 'Doctor', keys: 'g d', icon: Stethoscope },
] as const;

export type NavItem = (typeof navItems)[number];
export type NavId = NavItem['id'];
export type Counts = Partial<Record<NavId, number>>;

import { useMemo, useRef } from 'react';
import type { RunLog } from '@/model/run/run-log';
import { TeamView } from '@/model/team/team-view';

type Grown = { log: RunLog; view: TeamView; read: number };

/** What the team has done, up to the moment that is shown; `null` is now. Costs what is new. */
export function useTeamView(log: RunLog, at: number | null): TeamView {
  const grown = useRef<Grown | null>(null);
  // A log that is still on its way grows up to the moment that is shown.
  const end = at === null ? null : log.indexAfter(at);
  const past = useMemo(() => (end === null ? null : viewUpTo(log, end)), [log, end]);
  if (past) return past;
  if (grown.current?.log !== log) grown.current = { log, view: new TeamView(), read: 0 };
  const { view, read } = grown.current;
  for (const event of log.events.slice(read)) view.add(event);
  grown.current.read = log.events.length;
  return view;
}

function viewUpTo(log: RunLog, end: number): TeamView {
  const view = new TeamView();
  for (const event of log.events.slice(0, end)) view.add(event);
  return view;
}

import {
  coloursOf,
  type Group,
  type Measure,
  mostShown,
  OTHER,
  sharesOf,
} from '@/model/usage/usage-series';
import type { Usage } from '@/wire/Usage';

/** How a name of the server is shown: some have none. */
export function shownName(name: string, group: Group): string {
  if (name === OTHER) return 'other';
  if (name !== '') return name;
  return group === 'profile' ? 'no profile' : group === 'model' ? 'unnamed model' : 'unknown agent';
}

const outcomeColours: Record<string, string> = {
  completed: '--status-done',
  failed: '--status-failed',
  cancelled: '--chart-other',
  open: '--status-running',
};

const outcomeWords: Record<string, string> = {
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  open: 'unfinished',
};

export const outcomeWord = (name: string) => outcomeWords[name] ?? name;
export const outcomeColour = (name: string) => outcomeColours[name] ?? '--chart-other';

/** The token of each name's colour. */
export function colourTokens(
  usage: Usage,
  group: Group,
  measure: Measure,
): (name: string) => string {
  const names = sharesOf(usage, group, measure).map(({ name }) => name);
  const colours = coloursOf(names, names.slice(0, mostShown + 1));
  return (name) => {
    const colour = colours.get(name);
    return colour === undefined ? '--chart-other' : `--chart-${colour + 1}`;
  };
}

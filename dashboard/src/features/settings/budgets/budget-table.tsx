import { Fragment } from 'react';
import type { EditedLimit } from '@/features/settings/budgets/edit-limit-dialog';
import { LimitCell } from '@/features/settings/budgets/limit-cell';
import { effectiveLimit, limitsOf, scopes } from '@/model/settings/limits';
import { Badge } from '@/ui/badge';
import type { Budgets } from '@/wire/Budgets';
import type { ProfileShown } from '@/wire/ProfileShown';

type BudgetTableProps = {
  server: Budgets;
  profiles: ProfileShown[];
  onEdit: (limit: EditedLimit) => void;
};

const header = 'h-9 px-3 text-left text-xs font-medium text-muted whitespace-nowrap';

/** Every limit in a row: the server's, and what counts in each profile. */
export function BudgetTable({ server, profiles, onEdit }: BudgetTableProps) {
  return (
    <section
      aria-label="Budgets"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-panel shadow-low focus-visible:-outline-offset-2"
    >
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">Limits of the server and of each profile</caption>
        <thead>
          <tr className="border-b border-line">
            <th scope="col" className={`${header} pl-4`}>
              Limit
            </th>
            <th scope="col" className={header}>
              Server
            </th>
            {profiles.map((profile) => (
              <th key={profile.name} scope="col" className={header}>
                <span className="flex items-center gap-2">
                  {profile.name}
                  {profile.is_active && <Badge tone="done">active</Badge>}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {scopes.map(({ scope, title, help }) => (
            <Fragment key={scope}>
              <tr className="border-t border-line bg-canvas/60 first:border-t-0">
                <th
                  scope="rowgroup"
                  colSpan={profiles.length + 2}
                  className="h-9 px-4 text-left text-sm font-semibold"
                >
                  {title} <span className="ml-1 text-xs font-normal text-muted">{help}</span>
                </th>
              </tr>
              {limitsOf(scope).map((limit) => {
                const own = server[scope][limit.amount];
                return (
                  <tr key={limit.amount} className="border-t border-line">
                    <th scope="row" className="h-10 pl-4 text-left font-normal whitespace-nowrap">
                      {limit.label}
                    </th>
                    <LimitCell
                      limit={limit}
                      counting={{
                        value: own,
                        from: own === null ? null : 'profile',
                        overruled: null,
                      }}
                      label={`${limit.label}, server`}
                      onEdit={() => onEdit({ limit, value: own, profile: null })}
                    />
                    {profiles.map((profile) => {
                      const mine = profile.budgets[scope][limit.amount];
                      if (scope === 'per_day')
                        return (
                          <td key={profile.name} className="px-3 whitespace-nowrap text-subtle">
                            the server’s
                          </td>
                        );
                      return (
                        <LimitCell
                          key={profile.name}
                          limit={limit}
                          counting={effectiveLimit(own, mine)}
                          label={`${limit.label}, profile ${profile.name}`}
                          onEdit={() => onEdit({ limit, value: mine, profile })}
                        />
                      );
                    })}
                  </tr>
                );
              })}
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  );
}

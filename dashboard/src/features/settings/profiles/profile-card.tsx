import { FolderGit2 } from 'lucide-react';
import { Link } from 'react-router';
import { ProfileMenu } from '@/features/settings/profiles/profile-menu';
import { formatDuration, formatMoney, formatTokens } from '@/lib/format';
import { roles } from '@/model/settings/profile-document';
import { AgentAvatar } from '@/ui/agent-avatar';
import { Badge } from '@/ui/badge';
import { KeyValue } from '@/ui/key-value';
import { agents as tokens } from '@/ui/tones';
import type { Budget } from '@/wire/Budget';
import type { ProfileShown } from '@/wire/ProfileShown';

type ProfileCardProps = { profile: ProfileShown };

const trackers = { noop: 'none', github: 'GitHub', jira: 'Jira' };

function budgetText(budget: Budget): string {
  const parts = [
    budget.usd !== null && formatMoney(budget.usd),
    budget.tokens !== null && `${formatTokens(budget.tokens)} tokens`,
    budget.calls !== null && `${budget.calls} calls`,
    budget.wall_seconds !== null && formatDuration(budget.wall_seconds * 1_000),
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'no limit' : `${parts.join(', ')} per run`;
}

/** A profile at a glance. */
export function ProfileCard({ profile }: ProfileCardProps) {
  const place = (role: string) => {
    const index = roles.map(String).indexOf(role);
    return index < 0 ? roles.length : index;
  };
  const agents = Object.entries(profile.agents).sort(([a], [b]) => place(a) - place(b));
  return (
    <article className="relative rounded-lg border border-line bg-panel shadow-low transition-colors hover:border-line-strong">
      <div className="flex items-start gap-2 px-4 pt-3">
        <div className="min-w-0 flex-1">
          <div className="flex items-center gap-2">
            <h2 className="truncate text-base font-semibold">
              <Link
                to={`/settings/profiles/${encodeURIComponent(profile.name)}`}
                className="rounded-sm after:absolute after:inset-0 after:rounded-lg"
              >
                {profile.name}
              </Link>
            </h2>
            {profile.is_active && <Badge tone="done">active</Badge>}
          </div>
          <p className="flex items-center gap-1.5 text-xs text-muted">
            <FolderGit2 aria-hidden className="size-3.5 shrink-0" />
            <code className="truncate">{profile.repo_root}</code>
          </p>
        </div>
        <div className="relative z-10">
          <ProfileMenu name={profile.name} isActive={profile.is_active} />
        </div>
      </div>
      <div className="grid gap-x-8 gap-y-4 px-4 pt-3 pb-4 md:grid-cols-2">
        <ul className="flex flex-col gap-1.5">
          {agents.map(([role, agent]) => (
            <li key={role} className="flex items-center gap-2">
              <AgentAvatar
                size="sm"
                agent={tokens.find((one) => one === role) ?? 'system'}
                name={role}
              />
              <span className="w-20 shrink-0 truncate">{role}</span>
              <code className="truncate text-xs">{agent.model}</code>
              <span className="ml-auto text-xs text-subtle">{agent.driver}</span>
            </li>
          ))}
          {agents.length === 0 && <li className="text-muted">No agents yet.</li>}
        </ul>
        <KeyValue
          className="content-start border-line md:border-l md:pl-8"
          items={[
            { label: 'Tracker', value: trackers[profile.tracker] },
            {
              label: 'Checks',
              value: profile.checks.map((check) => check.command).join(', ') || 'none',
              mono: profile.checks.length > 0,
            },
            { label: 'Budget', value: budgetText(profile.budgets.per_run) },
            {
              label: 'Review',
              value: profile.strategy === 'single' ? 'one reviewer' : profile.personas.join(', '),
            },
          ]}
        />
      </div>
    </article>
  );
}

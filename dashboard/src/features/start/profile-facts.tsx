import { Link } from 'react-router';
import { Badge } from '@/ui/badge';
import { KeyValue } from '@/ui/key-value';
import type { AgentConfig } from '@/wire/AgentConfig';
import type { ProfileShown } from '@/wire/ProfileShown';
import { limitsLabel } from './limit-labels';

type ProfileFactsProps = { profile: ProfileShown };

const trackers = { jira: 'Jira', github: 'GitHub', noop: 'none: you describe the task' };

/** What a profile means for a run. */
export function ProfileFacts({ profile }: ProfileFactsProps) {
  const checks = profile.checks.map((check) => (
    <Badge key={check.name} title={check.command}>
      {check.name}
    </Badge>
  ));
  return (
    <section
      aria-label={`Set by profile ${profile.name}`}
      className="rounded-md bg-sunken/70 px-3 py-2.5 text-xs"
    >
      <p className="mb-1.5 flex gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">Set by profile {profile.name}</span>
        <Link
          to={`/settings/profiles/${encodeURIComponent(profile.name)}`}
          className="shrink-0 rounded-sm text-accent-text underline-offset-3 hover:underline"
        >
          Edit profile
        </Link>
      </p>
      <KeyValue
        items={[
          { label: 'Agents', value: <Agents agents={profile.agents} /> },
          {
            label: 'Checks',
            value:
              checks.length > 0 ? (
                <span className="flex flex-wrap gap-1">{checks}</span>
              ) : (
                <span className="text-needs-you">none: nothing runs before a review</span>
              ),
          },
          { label: 'Budget', value: limitsLabel(profile.budgets.per_run) },
          { label: 'Issues', value: trackers[profile.tracker] },
        ]}
      />
    </section>
  );
}

function Agents({ agents }: { agents: Record<string, AgentConfig> }) {
  const rows = Object.entries(agents);
  if (rows.length === 0) return <span className="text-needs-you">none</span>;
  return (
    <ul className="grid gap-x-4 gap-y-0.5 sm:grid-cols-2">
      {rows.map(([role, agent]) => (
        <li key={role} className="flex min-w-0 gap-1.5">
          <span className="shrink-0 text-muted">{role}</span>
          <span className="truncate font-mono" title={`${agent.driver}: ${agent.model}`}>
            {agent.model || agent.driver}
          </span>
        </li>
      ))}
    </ul>
  );
}

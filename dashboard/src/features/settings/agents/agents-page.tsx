import { Bot, Pencil } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useProfiles } from '@/api/settings';
import { EditAgentDialog } from '@/features/settings/agents/edit-agent-dialog';
import { QueryError } from '@/features/settings/parts/query-error';
import { SettingsSection } from '@/features/settings/parts/settings-section';
import { SettingsSkeleton } from '@/features/settings/parts/settings-skeleton';
import { roles } from '@/model/settings/profile-document';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentDuty } from '@/ui/agent-token';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { EmptyState } from '@/ui/empty-state';
import { IconButton } from '@/ui/icon-button';
import { PageHeader } from '@/ui/page-header';
import { Table } from '@/ui/table';
import { agents as tokens } from '@/ui/tones';
import type { ProfileShown } from '@/wire/ProfileShown';

type AgentRef = { role: string; profile: ProfileShown };

export default function AgentsPage() {
  const { data, error, isPending, refetch, isFetching } = useProfiles();
  const [edited, setEdited] = useState<AgentRef | null>(null);
  const used = new Set((data ?? []).flatMap((profile) => Object.keys(profile.agents)));
  const known = roles.map(String).filter((role) => used.has(role));
  const all = [...known, ...[...used].filter((role) => !known.includes(role))];
  return (
    <>
      <PageHeader title="Agents" />
      {isPending && <SettingsSkeleton />}
      {error && (
        <QueryError
          title="Could not load agents"
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data && all.length === 0 && (
        <EmptyState
          size="page"
          icon={<Bot />}
          title="No agents yet"
          action={
            <Button asChild variant="primary">
              <Link to="/settings/profiles">Open profiles</Link>
            </Button>
          }
        >
          Agents are part of a profile.
        </EmptyState>
      )}
      {data && all.length > 0 && (
        <SettingsSection intro="The agents of all profiles, with their drivers and models.">
          {all.map((role) => (
            <Card
              key={role}
              flush
              title={
                <span className="flex items-center gap-2">
                  <AgentAvatar
                    agent={tokens.find((one) => one === role) ?? 'system'}
                    name={role}
                    size="sm"
                  />
                  {role}
                  <span className="truncate text-xs font-normal text-muted">{agentDuty(role)}</span>
                </span>
              }
            >
              <RoleTable
                role={role}
                profiles={data.filter((profile) => Object.hasOwn(profile.agents, role))}
                onEdit={(profile) => setEdited({ role, profile })}
              />
            </Card>
          ))}
        </SettingsSection>
      )}
      {edited && <EditAgentDialog {...edited} onClose={() => setEdited(null)} />}
    </>
  );
}

type RoleTableProps = {
  role: string;
  profiles: ProfileShown[];
  onEdit: (profile: ProfileShown) => void;
};

function RoleTable({ role, profiles, onEdit }: RoleTableProps) {
  return (
    <Table
      caption={`${role} in each profile`}
      rows={profiles}
      rowKey={(profile) => profile.name}
      columns={[
        {
          id: 'profile',
          header: 'Profile',
          className: 'xl:w-48',
          cell: (profile) => (
            <span className="flex items-center gap-2">
              <Link
                to={`/settings/profiles/${encodeURIComponent(profile.name)}`}
                className="truncate rounded-sm hover:underline"
              >
                {profile.name}
              </Link>
              {profile.is_active && <Badge tone="done">active</Badge>}
            </span>
          ),
        },
        {
          id: 'driver',
          header: 'Driver',
          className: 'w-24',
          cell: (profile) => profile.agents[role]?.driver,
        },
        {
          id: 'model',
          header: 'Model',
          className: 'xl:w-72',
          cell: (profile) => <code className="text-xs">{profile.agents[role]?.model}</code>,
        },
        {
          id: 'options',
          header: 'Options',
          className: 'max-md:hidden',
          cell: (profile) => (
            <span className="text-xs text-muted">
              {Object.keys(profile.agents[role]?.options ?? {}).join(', ') || 'none'}
            </span>
          ),
        },
        {
          id: 'edit',
          header: <span className="sr-only">Edit</span>,
          className: 'w-12 text-right',
          cell: (profile) => (
            <IconButton
              size="sm"
              aria-label={`Change ${role} of ${profile.name}`}
              icon={<Pencil />}
              onClick={() => onEdit(profile)}
            />
          ),
        },
      ]}
    />
  );
}

import { Section } from '@/kit/section';
import { AgentAvatar } from '@/ui/agent-avatar';
import { Badge } from '@/ui/badge';
import { StatusBadge } from '@/ui/status-badge';
import { agents, statuses } from '@/ui/tones';

export function Colours() {
  return (
    <Section title="Status and agents">
      <div className="flex flex-wrap gap-2">
        {statuses.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        {agents.map((agent) => (
          <AgentAvatar key={agent} agent={agent} withName live={agent === 'developer'} />
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Badge>neutral</Badge>
        <Badge tone="accent">accent</Badge>
        <Badge tone="outline">outline</Badge>
        <Badge tone="failed">2 failed</Badge>
        <Badge mono>4/7</Badge>
        <AgentAvatar agent="architect" size="sm" />
        <AgentAvatar agent="developer" live />
        <AgentAvatar agent="reviewer" size="lg" />
      </div>
      <div className="grid grid-cols-4 gap-2 text-xs">
        <div className="rounded-md border border-line bg-canvas p-3">canvas</div>
        <div className="rounded-md border border-line bg-panel p-3 shadow-low">panel</div>
        <div className="rounded-md border border-line bg-raised p-3 shadow-mid">raised</div>
        <div className="rounded-md border border-line bg-sunken p-3">sunken</div>
      </div>
      <p>
        Text, <span className="text-muted">muted text</span>,{' '}
        <span className="text-subtle">subtle text</span>,{' '}
        <mark className="rounded-sm bg-mark px-0.5 text-fg">found</mark>.
      </p>
    </Section>
  );
}

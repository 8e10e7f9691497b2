import { CirclePlay } from 'lucide-react';
import { Link } from 'react-router';
import { cli } from '@/model/cli/cli';
import { AgentAvatar } from '@/ui/agent-avatar';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';

const agents = ['architect', 'developer', 'reviewer', 'evaluator'] as const;

const commands = () => [
  { command: cli.init(), what: 'finds your keys and checks, and writes a profile' },
  {
    command: 'amelia demo --open',
    what: 'shows a complete run here, without a key or network access',
  },
];

/** Before the first run: what this is, and the two ways in. */
export function Welcome() {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center gap-6 px-4 pt-[12vh] pb-16 text-center">
      <div aria-hidden className="flex gap-1.5">
        {agents.map((agent) => (
          <AgentAvatar key={agent} agent={agent} size="lg" />
        ))}
      </div>
      <div>
        <h2 className="text-xl font-semibold tracking-tight">Start your first run</h2>
        <p className="mt-2 text-base text-pretty text-muted">
          Give Amelia an issue. The Architect writes a plan, and you approve it.
          <br className="max-md:hidden" /> The Developer builds it in a separate worktree and your
          checks run.
          <br className="max-md:hidden" /> The Reviewer reads every change. You get clean commits
          and a complete log.
        </p>
      </div>
      <Button asChild variant="primary" size="lg">
        <Link to="/start">
          <CirclePlay aria-hidden />
          Start a run
        </Link>
      </Button>
      <div className="w-full rounded-lg border border-line bg-panel text-left shadow-low">
        <p className="border-b border-line px-4 py-2 text-xs text-muted">
          Or run these in a terminal, in your repository
        </p>
        <ul className="divide-y divide-line">
          {commands().map(({ command, what }) => (
            <li key={command} className="flex items-center gap-3 py-2 pr-2 pl-4">
              <div className="min-w-0 flex-1 md:flex md:items-baseline md:gap-3">
                <code className="block shrink-0 font-medium md:w-44">{command}</code>
                <span className="text-muted">{what}</span>
              </div>
              <CopyButton text={command} label={`Copy ${command}`} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

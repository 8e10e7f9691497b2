import { X } from 'lucide-react';
import { useRemoveRule } from '@/api/actions';
import { plural } from '@/lib/format';
import { toast } from '@/lib/toast';
import { cli } from '@/model/cli/cli';
import { agentName } from '@/ui/agent-token';
import { CliCommand } from '@/ui/cli-command';
import { IconButton } from '@/ui/icon-button';
import { Popover } from '@/ui/popover';
import type { PermissionGrant } from '@/wire/log/PermissionGrant';

type GrantedRulesProps = {
  run: string;
  /** The run in commands: `r12`. */
  shortId: string;
  granted: readonly PermissionGrant[];
  /** Nothing about it can be changed any more. */
  isEnded: boolean;
};

/** What was allowed for this run, and can be taken back. */
export function GrantedRules({ run, shortId, granted, isEnded }: GrantedRulesProps) {
  const remove = useRemoveRule();
  // The last rule takes this component with it, sometimes before the server has answered.
  const take = ({ agent, rule }: PermissionGrant) =>
    remove.mutateAsync({ run, agent, rule }).then(
      () =>
        void toast({
          title: 'Rule removed',
          description: `${agentName(agent)} asks again before such calls.`,
        }),
      // The page says why not.
      () => {},
    );
  return (
    <Popover
      label="Permission rules of this run"
      className="w-100"
      trigger={
        <button type="button" className="text-accent-text underline underline-offset-3">
          {plural(granted.length, 'rule')} for this run
        </button>
      }
    >
      <h2 className="text-sm font-semibold">Allowed without asking</h2>
      <p className="mb-2 text-xs text-muted">
        {isEnded
          ? 'A fork of this run begins with these rules.'
          : 'Remove a rule, and the agent asks again before such calls.'}
      </p>
      <ul className="flex flex-col gap-1.5">
        {granted.map((grant) => (
          <li
            key={`${grant.agent} ${grant.rule}`}
            className="flex items-start gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-2"
          >
            <div className="min-w-0 flex-1 py-0.5">
              <code className="text-xs wrap-anywhere text-code-fg">{grant.rule}</code>
              <p className="text-xs text-muted">
                {agentName(grant.agent)}
                {grant.lasts === 'always' && '; also in the profile'}
              </p>
            </div>
            {!isEnded && (
              <>
                <CliCommand size="sm" command={cli.removeRule(shortId, grant.agent, grant.rule)} />
                <IconButton
                  aria-label={`Remove ${grant.rule}`}
                  size="sm"
                  icon={<X />}
                  loading={remove.isPending && remove.variables.rule === grant.rule}
                  onClick={() => void take(grant)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
    </Popover>
  );
}

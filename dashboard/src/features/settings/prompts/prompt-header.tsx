import { ArrowLeft, RotateCcw } from 'lucide-react';
import { Link } from 'react-router';
import { settingsCli } from '@/model/cli/cli-settings';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { PageHeader } from '@/ui/page-header';
import type { PromptShown } from '@/wire/PromptShown';

type PromptHeaderProps = { prompt: PromptShown; onReset: () => void };

export function PromptHeader({ prompt, onReset }: PromptHeaderProps) {
  const { name, is_own, version } = prompt;
  return (
    <PageHeader
      title={name}
      leading={
        <Link
          to="/settings/prompts"
          aria-label="All prompts"
          className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-fg"
        >
          <ArrowLeft className="size-4" />
        </Link>
      }
      meta={is_own ? <Badge tone="accent">version {version ?? '?'}</Badge> : <Badge>default</Badge>}
      actions={
        <>
          <CliCommand command={settingsCli.editPrompt(name)} />
          {is_own && (
            <Button icon={<RotateCcw />} onClick={onReset}>
              <span className="max-md:sr-only">Reset to default</span>
            </Button>
          )}
        </>
      }
    />
  );
}

import { ArrowLeft, History, PencilLine, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { isConflict, useReplacePrompt, useResetPrompt } from '@/api/settings';
import { Notice } from '@/features/settings/parts/notice';
import { SaveBar } from '@/features/settings/parts/save-bar';
import { UnsavedGuard } from '@/features/settings/parts/unsaved-guard';
import { PromptPreview } from '@/features/settings/prompts/prompt-preview';
import { PromptVersions } from '@/features/settings/prompts/prompt-versions';
import { toast } from '@/lib/toast';
import { useShortcut } from '@/lib/use-shortcut';
import { settingsCli } from '@/model/cli/cli-settings';
import { diffSize } from '@/model/diff/text-diff';
import { knownPrompts } from '@/model/settings/prompt-template';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Field } from '@/ui/field';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { Textarea } from '@/ui/textarea';
import type { PromptShown } from '@/wire/PromptShown';

type PromptEditorProps = { prompt: PromptShown };

export function PromptEditor({ prompt }: PromptEditorProps) {
  const { name } = prompt;
  const [typed, setTyped] = useState<string | null>(null);
  /** What was there when the typing began. */
  const [base, setBase] = useState<string | null>(null);
  const [resetting, setResetting] = useState(false);
  const [search, setSearch] = useSearchParams();
  const replace = useReplacePrompt();
  const reset = useResetPrompt();
  const text = typed ?? prompt.text;
  const isChanged = typed !== null && typed !== prompt.text;
  const tab = search.get('tab') === 'versions' ? 'versions' : 'edit';
  const { added, removed } = diffSize(prompt.text, text);

  const type = (next: string | null) => {
    setBase(next === null ? null : (base ?? prompt.text));
    setTyped(next);
  };
  const save = (next: string, title: string) =>
    replace.mutate(
      { name, base: base ?? prompt.text, text: next },
      {
        onSuccess: () => {
          type(null);
          toast({ title, tone: 'success' });
        },
        // Theirs is shown now: the next save is made knowing it.
        onError: (error) => isConflict(error) && setBase(null),
      },
    );
  const saveTyped = () => isChanged && save(text, `Saved ${name} as a new version`);
  useShortcut(
    { keys: 'mod+s', label: 'Save the prompt', group: 'Prompt', inInputs: true },
    saveTyped,
  );

  return (
    <>
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
        meta={
          prompt.is_own ? (
            <Badge tone="accent">version {prompt.version ?? '?'}</Badge>
          ) : (
            <Badge>shipped</Badge>
          )
        }
        actions={
          <>
            <CliCommand command={settingsCli.editPrompt(name)} />
            {prompt.is_own && (
              <Button icon={<RotateCcw />} onClick={() => setResetting(true)}>
                <span className="max-md:sr-only">Back to the shipped one</span>
              </Button>
            )}
          </>
        }
      />
      <UnsavedGuard when={isChanged} what={`the prompt ${name}`} />
      <div className="flex max-w-300 flex-col gap-4 px-4 pt-3 md:px-6">
        <Tabs
          label="Prompt"
          value={tab}
          onChange={(next) => setSearch(next === 'edit' ? {} : { tab: next })}
          tabs={[
            { value: 'edit', label: 'Edit', icon: <PencilLine /> },
            { value: 'versions', label: 'Versions', icon: <History /> },
          ]}
          panelClassName="pt-4"
        >
          {tab === 'edit' ? (
            <div className="flex flex-col gap-4 pb-4">
              {prompt.problem && !isChanged && (
                <Notice tone="warning" title="It is used as plain text: the template is broken">
                  {prompt.problem}
                </Notice>
              )}
              {replace.error && (
                <Notice tone="error" title="It was not saved">
                  {replace.error.message}
                </Notice>
              )}
              <div className="grid gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
                <Field
                  label="Text"
                  hint={`${knownPrompts[name]?.about ?? 'A prompt'}. Runs that have begun keep the words they began with.`}
                >
                  {(control) => (
                    <Textarea
                      {...control}
                      mono
                      minRows={18}
                      maxRows={60}
                      spellCheck={false}
                      value={text}
                      onChange={(event) => type(event.target.value)}
                    />
                  )}
                </Field>
                <PromptPreview name={name} text={text} />
              </div>
            </div>
          ) : (
            <PromptVersions
              prompt={prompt}
              restoring={replace.isPending}
              onRestore={(version, old) => save(old, `Restored version ${version}`)}
            />
          )}
        </Tabs>
        <SaveBar
          changes={isChanged ? 1 : 0}
          faults={0}
          label="Save as a new version"
          saving={replace.isPending}
          onDiscard={() => type(null)}
          onSave={saveTyped}
        >
          <span className="tabular font-mono text-xs">
            <span className="text-diff-add-fg">+{added}</span>{' '}
            <span className="text-diff-del-fg">−{removed}</span>
            <span className="sr-only"> lines</span>
          </span>
        </SaveBar>
      </div>
      <ConfirmDialog
        open={resetting}
        onOpenChange={setResetting}
        title={`Back to the shipped ${name}?`}
        description="New runs are told the words that ship with the program. Your versions are kept, and can be restored."
        confirmLabel="Use the shipped one"
        busy={reset.isPending}
        onConfirm={() =>
          reset.mutate(name, {
            onSuccess: () => {
              type(null);
              toast({ title: `${name} is the shipped one again`, tone: 'success' });
            },
            onSettled: () => setResetting(false),
          })
        }
      />
    </>
  );
}

import { History, PencilLine } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { SaveBar } from '@/features/settings/parts/save-bar';
import { UnsavedGuard } from '@/features/settings/parts/unsaved-guard';
import { PromptHeader } from '@/features/settings/prompts/prompt-header';
import { PromptText } from '@/features/settings/prompts/prompt-text';
import { PromptVersions } from '@/features/settings/prompts/prompt-versions';
import { usePromptDraft } from '@/features/settings/prompts/use-prompt-draft';
import { useShortcut } from '@/lib/use-shortcut';
import { diffSize } from '@/model/diff/text-diff';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Tabs } from '@/ui/tabs';
import type { PromptShown } from '@/wire/PromptShown';

type PromptEditorProps = { prompt: PromptShown };

export function PromptEditor({ prompt }: PromptEditorProps) {
  const { name } = prompt;
  const draft = usePromptDraft(prompt);
  const [isAsking, setIsAsking] = useState(false);
  const [search, setSearch] = useSearchParams();
  const tab = search.get('tab') === 'versions' ? 'versions' : 'edit';
  const { added, removed } = diffSize(prompt.text, draft.text);
  useShortcut(
    { keys: 'mod+s', label: 'Save prompt', group: 'Prompt', inInputs: true },
    draft.saveTyped,
  );

  return (
    <>
      <PromptHeader prompt={prompt} onReset={() => setIsAsking(true)} />
      <UnsavedGuard when={draft.isChanged} what={`the prompt ${name}`} />
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
            <PromptText prompt={prompt} draft={draft} />
          ) : (
            <PromptVersions prompt={prompt} restoring={draft.isSaving} onRestore={draft.restore} />
          )}
        </Tabs>
        <SaveBar
          changes={draft.isChanged ? 1 : 0}
          faults={0}
          label="Save as new version"
          saving={draft.isSaving}
          onDiscard={draft.discard}
          onSave={draft.saveTyped}
        >
          <span className="tabular font-mono text-xs">
            <span className="text-diff-add-fg">+{added}</span>{' '}
            <span className="text-diff-del-fg">−{removed}</span>
            <span className="sr-only"> lines</span>
          </span>
        </SaveBar>
      </div>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={`Reset ${name} to the default?`}
        description="New runs use the prompt that ships with Amelia. Your versions are kept and can be restored."
        confirmLabel="Reset to default"
        busy={draft.isResetting}
        onConfirm={() => draft.resetToShipped(() => setIsAsking(false))}
      />
    </>
  );
}

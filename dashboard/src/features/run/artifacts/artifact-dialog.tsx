import { useState } from 'react';
import { artifactPath, useArtifactVersions, useRestoreArtifact } from '@/api/artifacts';
import { toast } from '@/lib/toast';
import { shown } from '@/lib/visible';
import { versionBefore } from '@/model/artifacts/versions';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Select } from '@/ui/select';
import type { ArtifactShown } from '@/wire/ArtifactShown';
import { ArtifactChanges } from './artifact-changes';
import { ArtifactContent } from './artifact-content';
import { VersionList } from './version-list';

type ArtifactDialogProps = {
  run: string;
  artifact: ArtifactShown;
  /** Grows with every version of the run. */
  count: number;
  onClose: () => void;
};

const CONTENT = 'content';

/** The versions of an artifact: what is in each, what it changed, and a way back to it. */
export function ArtifactDialog({ run, artifact, count, onClose }: ArtifactDialogProps) {
  const { path, version: newest } = artifact;
  const versions = useArtifactVersions(run, path, count).data ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  // What is compared with: `null` is the version before, if there is one.
  const [base, setBase] = useState<string | null>(null);
  const restore = useRestoreArtifact();
  const version = chosen ?? newest;
  const before = versionBefore(versions, version);
  const from = base === CONTENT ? null : (base ?? before);
  const type = versions.find((one) => one.version === version)?.mime_type ?? artifact.mime_type;
  const goBack = () =>
    restore.mutate(
      { run, path, version },
      {
        onSuccess: () => {
          setChosen(null);
          toast({ title: `Restored ${version}`, tone: 'success' });
        },
      },
    );
  const options = [
    { value: CONTENT, label: 'Content' },
    ...versions
      .filter((one) => one.version !== version)
      .map((one) => ({ value: one.version, label: `Changes since ${one.version}` })),
  ];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="xl"
      title={shown(path)}
      description={artifact.description === null ? undefined : shown(artifact.description)}
      footer={
        <>
          {version !== newest && (
            <Button loading={restore.isPending} onClick={goBack}>
              Restore {version}
            </Button>
          )}
          <Button asChild>
            <a href={artifactPath(run, path, version)} download={path.split('/').at(-1)}>
              Download
            </a>
          </Button>
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="grid gap-4 md:grid-cols-[14rem_minmax(0,1fr)]">
        <VersionList versions={versions} chosen={version} onChoose={setChosen} />
        <div className="flex min-w-0 flex-col gap-3">
          <Select
            aria-label="What is shown"
            value={from ?? CONTENT}
            onChange={setBase}
            options={options}
            className="self-start max-md:w-full md:w-60"
          />
          {restore.error && (
            <p role="alert" className="text-sm text-failed">
              {restore.error.message}
            </p>
          )}
          {from === null ? (
            <ArtifactContent run={run} path={path} version={version} type={type} />
          ) : (
            <ArtifactChanges run={run} path={path} from={from} to={version} />
          )}
        </div>
      </div>
    </Dialog>
  );
}

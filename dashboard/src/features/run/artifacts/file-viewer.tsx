import { useState } from 'react';
import { filePath } from '@/api/runs';
import { isImage } from '@/lib/language';
import { shown } from '@/lib/visible';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { ErrorState } from '@/ui/error-state';
import { FileText } from './file-text';

type FileViewerProps = { id: string; path: string; isPast: boolean; onClose: () => void };

/** A file of the worktree, as it is now. */
export function FileViewer({ id, path, isPast, onClose }: FileViewerProps) {
  const name = path.split('/').at(-1) ?? 'file';
  const address = filePath(id, path);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="xl"
      title={shown(path)}
      description={
        isPast ? 'This is the current content, not the content at the selected moment.' : undefined
      }
      footer={
        <>
          <Button asChild>
            <a href={address} download={name}>
              Download
            </a>
          </Button>
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {isImage(path) ? <Picture address={address} name={name} /> : <FileText id={id} path={path} />}
    </Dialog>
  );
}

function Picture({ address, name }: { address: string; name: string }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing)
    return (
      <ErrorState
        title="Could not load the image"
        message="The worktree of this run may have been removed."
        onRetry={() => setMissing(false)}
      />
    );
  return (
    <img
      src={address}
      alt={shown(name)}
      onError={() => setMissing(true)}
      className="mx-auto max-h-[60vh] max-w-full"
    />
  );
}

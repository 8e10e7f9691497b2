import { useState } from 'react';
import { withFiles } from '@/model/start/attached-files';

/** The files that go with the next run. A reload forgets them: they are too large to be remembered. */
export function useAttachedFiles(onChange: () => void) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const add = (more: readonly File[]) => {
    const next = withFiles(files, more);
    setFiles(next.files);
    setRefused(next.refused);
    onChange();
  };
  const remove = (file: File) => {
    setFiles((all) => all.filter((one) => one !== file));
    setRefused([]);
    onChange();
  };
  const clear = () => {
    setFiles([]);
    setRefused([]);
  };
  return { files, refused, add, remove, clear };
}

export type AttachedFilesState = ReturnType<typeof useAttachedFiles>;

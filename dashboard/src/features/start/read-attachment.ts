import type { Workflow } from '@/model/start/draft';
import type { NewAttachment } from '@/wire/NewAttachment';

/** A file that was attached, and cannot be read any more. */
export class UnreadableFile extends Error {}

/** A file as it is sent. */
function readAttachment(file: File): Promise<NewAttachment> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () =>
      reject(new UnreadableFile(`${file.name} cannot be read. Attach it again.`));
    reader.onload = () => {
      const url = String(reader.result);
      resolve({ name: file.name, data: url.slice(url.indexOf(',') + 1) });
    };
    reader.readAsDataURL(file);
  });
}

/** The request with these files; without the field when there are none. */
export async function withAttachments(
  workflow: Workflow,
  files: readonly File[],
): Promise<Workflow> {
  if (files.length === 0) return workflow;
  return { ...workflow, attachments: await Promise.all(files.map(readAttachment)) };
}

import { formatBytes } from '@/lib/format';
import type { Attachment } from '@/model/start/draft';

/** As much as the server reads of one document. */
export const longest = 1_048_576;

/** The text of a file, or why it cannot be taken. */
export async function readDocument(file: File): Promise<Attachment | string> {
  if (file.size === 0) return `${file.name} is empty.`;
  if (file.size > longest) {
    return `${file.name} is ${formatBytes(file.size)}. The limit is ${formatBytes(longest)}.`;
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    if (text.includes('\0')) return `${file.name} is not a text file.`;
    return { name: file.name, size: file.size, text };
  } catch {
    return `${file.name} is not a text file.`;
  }
}

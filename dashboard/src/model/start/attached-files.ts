// Files for the agents of a run: how many and how large. The server has the same limits.

export const mostFiles = 10;
export const largestFile = 10 * 1024 * 1024;
export const largestTogether = 20 * 1024 * 1024;

type Sized = { readonly name: string; readonly size: number };

/** The files with those that can be added, and why others cannot. */
export function withFiles<F extends Sized>(have: readonly F[], more: readonly F[]) {
  const files = [...have];
  const refused: string[] = [];
  for (const file of more) {
    const together = files.reduce((sum, { size }) => sum + size, file.size);
    if (file.size > largestFile)
      refused.push(`${file.name} is not attached. The limit for one file is 10 MB.`);
    else if (files.length >= mostFiles)
      refused.push(`${file.name} is not attached. The limit is ${mostFiles} files.`);
    else if (together > largestTogether)
      refused.push(`${file.name} is not attached. The limit for all files is 20 MB.`);
    else files.push(file);
  }
  return { files, refused };
}

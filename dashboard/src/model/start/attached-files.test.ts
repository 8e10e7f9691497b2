import { describe, expect, it } from 'vitest';
import { largestFile, mostFiles, withFiles } from './attached-files';

const file = (name: string, size = 1) => ({ name, size });

describe('files for the agents', () => {
  it('adds what fits', () => {
    const { files, refused } = withFiles([file('a')], [file('b'), file('c', largestFile)]);
    expect(files.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(refused).toEqual([]);
  });

  it('refuses a file that is too large, and keeps the others', () => {
    const { files, refused } = withFiles([], [file('big', largestFile + 1), file('a')]);
    expect(files).toEqual([file('a')]);
    expect(refused).toEqual(['big is not attached. The limit for one file is 10 MB.']);
  });

  it('refuses more files than the server takes', () => {
    const many = Array.from({ length: mostFiles + 1 }, (_, index) => file(`f${index}`));
    const { files, refused } = withFiles([], many);
    expect(files).toHaveLength(mostFiles);
    expect(refused).toEqual(['f10 is not attached. The limit is 10 files.']);
  });

  it('refuses more bytes than the server takes', () => {
    const large = (name: string) => file(name, 8 * 1024 * 1024);
    const { files, refused } = withFiles([], [large('a'), large('b'), large('c'), file('d')]);
    expect(files.map(({ name }) => name)).toEqual(['a', 'b', 'd']);
    expect(refused[0]).toContain('c is not attached. The limit for all files is 20 MB.');
  });
});

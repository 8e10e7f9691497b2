import { describe, expect, it } from 'vitest';
import { editorLink } from './editor';

describe('editorLink', () => {
  it('opens a worktree of this machine, whatever is in its path', () => {
    expect(editorLink('vscode', '/home/a b/#1', 'localhost')).toBe(
      'vscode://file/home/a%20b/%231/',
    );
    expect(editorLink('idea', '/home/a&b', '127.0.0.1')).toBe('idea://open?file=%2Fhome%2Fa%26b');
  });

  it('is not there without a worktree, or on another machine', () => {
    expect(editorLink('zed', null, 'localhost')).toBeNull();
    expect(editorLink('zed', '/w', 'amelia.example')).toBeNull();
  });
});

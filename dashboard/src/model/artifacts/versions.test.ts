import { expect, it } from 'vitest';
import { eventOf } from '@/test/events';
import { isPicture, isText, isVersion, versionBefore } from './versions';

it('knows which files of a log have versions', () => {
  const created = (uri: string) =>
    eventOf(1, { artifact: { created: { uri, mime_type: 'text/markdown' } } });
  expect(isVersion(created('file://artifacts/documents/rivers.md'))).toBe(true);
  expect(isVersion(created('rivers.md'))).toBe(false);
  expect(isVersion(eventOf(1, { run: 'started' }))).toBe(false);
});

it('finds the version before', () => {
  const versions = ['v3', 'v2', 'v1'].map((version) => ({ version }));
  expect(versionBefore(versions, 'v3')).toBe('v2');
  expect(versionBefore(versions, 'v1')).toBeNull();
  expect(versionBefore([], 'v1')).toBeNull();
});

it('knows what a page can show', () => {
  expect(['text/csv', 'application/json', 'image/svg+xml'].map(isText)).toEqual([true, true, true]);
  expect(['application/pdf', 'image/png'].map(isText)).toEqual([false, false]);
  expect(isPicture('image/png')).toBe(true);
});

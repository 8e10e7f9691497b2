import { expect, test } from 'vitest';
import { usualProfile } from './usual-profile';

const profile = (name: string, repo_root: string, is_active = false) => ({
  name,
  repo_root,
  is_active,
});

test.each([
  ['/w/shop', 'shop'],
  ['/w/shop/api/', 'api'],
  ['/w/shopping', 'all'],
  ['/elsewhere', 'all'],
  [null, 'all'],
])('a run in %s gets the profile %s', (repository, name) => {
  const profiles = [
    profile('all', '.', true),
    profile('shop', '/w/shop'),
    profile('api', '/w/shop/api'),
  ];
  expect(usualProfile(profiles, repository)?.name).toBe(name);
});

test('the active profile comes first where it fits', () => {
  const profiles = [profile('outer', '/w', true), profile('inner', '/w/shop')];
  expect(usualProfile(profiles, '/w/shop')?.name).toBe('outer');
  expect(usualProfile([], '/w')).toBeUndefined();
});

test('a profile of another repository is not chosen', () => {
  const profiles = [profile('shop', '/w/shop', true), profile('blog', '/w/blog')];
  expect(usualProfile(profiles, '/w/new')).toBeUndefined();
  expect(usualProfile(profiles, null)?.name).toBe('shop');
});

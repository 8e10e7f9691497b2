// A list of names that this browser remembers and all its tabs share.
import { create } from 'zustand';
import { isStrings, remember, remembered } from '@/lib/storage';

/** Keeps the last `most` names under `key`. */
export function sharedList(key: string, most = 500) {
  const read = () => remembered(key, isStrings, []);
  const use = create<{ names: ReadonlySet<string> }>(() => ({ names: new Set(read()) }));
  const keep = (names: string[]) => {
    remember(key, names.slice(-most));
    use.setState({ names: new Set(names) });
  };
  window.addEventListener('storage', (event) => {
    // `null`: everything was cleared.
    if (event.key === null || event.key.endsWith(key)) use.setState({ names: new Set(read()) });
  });
  return {
    use,
    // What another tab has added since is kept.
    add: (...names: string[]) => keep([...read().filter((one) => !names.includes(one)), ...names]),
    remove: (...names: string[]) => keep(read().filter((one) => !names.includes(one))),
  };
}

import type { SessionState } from '@/wire/SessionState';

/** What the server says to a browser that has not signed in. */
export const stranger: SessionState = {
  is_signed_in: false,
  asks_for_token: true,
  version: '1.2.3',
  is_demo: false,
  home: null,
  is_default_home: true,
  machine: null,
};

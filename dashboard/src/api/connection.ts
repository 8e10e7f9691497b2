// Whether the server is there, for the whole screen.

import { create } from 'zustand';
import type { SocketState } from './socket';

type Connection = {
  state: SocketState;
  /** Since when it is lost. */
  lostAt: number | null;
  /** The server does not know this browser. */
  isSignedOut: boolean;
};

export const useConnection = create<Connection>(() => ({
  state: 'connecting',
  lostAt: null,
  isSignedOut: false,
}));

export function setConnection(state: SocketState): void {
  useConnection.setState((before) => ({
    state,
    lostAt: state === 'lost' ? (before.lostAt ?? Date.now()) : null,
  }));
}

export const setSignedOut = (isSignedOut: boolean) => useConnection.setState({ isSignedOut });

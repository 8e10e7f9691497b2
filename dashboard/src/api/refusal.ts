// What is said about an action that failed.

import type { ToastOptions } from '@/lib/toast';
import { ApiError } from './http';

/** Milliseconds: that the server cannot be reached is also shown by the connection, until it is back. */
const UNREACHED_MS = 8_000;

/** The notice with the reason. It stays until it is closed, unless the server could not be reached. */
export function refusalOf(error: Error): ToastOptions {
  const known = error instanceof ApiError ? error : null;
  return {
    title: error.message,
    tone: 'error',
    ...(known?.hint ? { description: known.hint } : {}),
    ...(known?.status === 0 ? { duration: UNREACHED_MS } : {}),
  };
}

// One way to ask the server, and one kind of failure. Knows no React and no screen.

import { newId } from '@/lib/id';
import type { Code } from '@/wire/Code';
import type { ErrorBody } from '@/wire/ErrorBody';

/** What the server refused, or that it could not be asked. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: Code | 'UNREACHABLE';
  readonly hint: string | null;
  readonly details: Record<string, unknown>;
  readonly requestId: string | null;

  constructor(
    status: number,
    code: Code | 'UNREACHABLE',
    message: string,
    more: Partial<ApiError> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.hint = more.hint ?? null;
    this.details = more.details ?? {};
    this.requestId = more.requestId ?? null;
  }
}

type Query = Record<string, string | number | boolean | null | undefined>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Called when the server no longer accepts our session. */
const signedOutListeners = new Set<() => void>();

export function onSignedOut(tell: () => void): () => void {
  signedOutListeners.add(tell);
  return () => signedOutListeners.delete(tell);
}

export function pathWith(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value != null && value !== '' && value !== false) search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? `/api${path}` : `/api${path}?${text}`;
}

type RequestOptions = {
  body?: unknown;
  signal?: AbortSignal | undefined;
  key?: string | undefined;
  /** The version that is changed, as the server has tagged it. */
  tag?: string | null | undefined;
};

async function ask(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
  const { body, signal, key = newId(), tag } = options;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method === 'POST') headers['idempotency-key'] = key;
  if (tag) headers['if-match'] = tag;
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers,
      signal: signal ?? null,
      body: body === undefined ? null : JSON.stringify(body),
      credentials: 'same-origin',
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'UNREACHABLE', 'The server cannot be reached', {
      hint: 'Is `amelia server` running? This page reconnects automatically when it is.',
    });
  }
  if (answer.ok) return answer;
  if (answer.status === 401) for (const tell of signedOutListeners) tell();
  throw await refusal(answer);
}

async function refusal(answer: Response): Promise<ApiError> {
  try {
    const { error, request_id } = (await answer.json()) as ErrorBody;
    return new ApiError(answer.status, error.code, error.message, {
      hint: error.hint ?? null,
      details: error.details ?? {},
      requestId: request_id,
    });
  } catch {
    return new ApiError(answer.status, 'INTERNAL', `The server answered ${answer.status}`);
  }
}

export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  const answer = await ask('GET', pathWith(path, query), { signal });
  return (await answer.json()) as T;
}

/** With the tag of the version that was read. */
export async function getTagged<T>(path: string): Promise<{ value: T; tag: string | null }> {
  const answer = await ask('GET', pathWith(path));
  return { value: (await answer.json()) as T, tag: answer.headers.get('etag') };
}

export async function getText(path: string, query?: Query, signal?: AbortSignal): Promise<string> {
  const answer = await ask('GET', pathWith(path, query), { signal });
  return answer.text();
}

async function send<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const answer = await ask(method, pathWith(path), options);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

/** With a `key`, a second try after a break is the same request. */
export const post = <T>(path: string, body?: unknown, key?: string) =>
  send<T>('POST', path, { body, key });
/** With a `tag`, only when that version is still the newest. */
export const put = <T>(path: string, body?: unknown, tag?: string | null) =>
  send<T>('PUT', path, { body, tag });
export const remove = <T = void>(path: string) => send<T>('DELETE', path);

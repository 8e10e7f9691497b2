import type { ChildProcess } from 'node:child_process';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export class World {
  static start(options?: {
    script?: string;
    port?: number;
    profile?: Record<string, unknown>;
  }): Promise<World>;
  dir: string;
  home: string;
  url: string;
  token: string;
  port: number;
  repository: string;
  model: string;
  server: ChildProcess;
  addWorkflows(name: string): Promise<void>;
  addMemoryServer(): void;
  addRepository(name: string): string;
  addGitHub(): Promise<void>;
  addTeam(name: string, ...inside: string[]): Promise<void>;
  startTeam(team: string, more?: Record<string, unknown>): Promise<string>;
  addDelegates(): void;
  startEliciting(): Promise<string>;
  startServer(): Promise<void>;
  kill(): Promise<void>;
  stopServer(): Promise<void>;
  stop(): Promise<void>;
  profile(name: string, more?: Record<string, unknown>, model?: string): Record<string, unknown>;
  link(path?: string): string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any answer of a route.
  call(method: string, path: string, body?: unknown): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any answer of a route.
  get(path: string): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any answer of a route.
  post(path: string, body?: unknown): Promise<any>;
  startRun(more?: Record<string, unknown>): Promise<string>;
  startPlanned(more?: Record<string, unknown>): Promise<string>;
  startApproved(more?: Record<string, unknown>): Promise<string>;
  startCompleted(more?: Record<string, unknown>): Promise<string>;
  startAsking(model?: string, allow?: string[]): Promise<string>;
  until(run: string, ...statuses: string[]): Promise<string>;
  /** Lets commands that wait for it continue. */
  go(): void;
  cli(...args: string[]): string;
  populate(): Promise<Record<'done' | 'waiting' | 'failed' | 'cancelled' | 'limited', string>>;
}

export const ATTACHED: { name: string; data: string }[];
export function program(): string;
export function repository(dir: string, name?: string): string;
export function demo(): Promise<{
  home: string;
  link: string;
  url: string;
  stop: () => Promise<void>;
}>;

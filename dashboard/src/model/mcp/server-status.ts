// How an MCP server stands, in words.

import type { McpStatus } from '@/wire/McpStatus';

type Shown = { tone: 'done' | 'queued' | 'running' | 'failed' | 'cancelled'; word: string };

export const serverStatus: Record<McpStatus, Shown> = {
  connected: { tone: 'done', word: 'Connected' },
  connecting: { tone: 'running', word: 'Connecting' },
  not_connected: { tone: 'queued', word: 'Not connected' },
  failed: { tone: 'failed', word: 'Failed' },
  disabled: { tone: 'cancelled', word: 'Disabled' },
};

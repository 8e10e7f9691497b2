// MCP servers and their tools.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { McpCall } from '@/wire/McpCall';
import type { McpCallResult } from '@/wire/McpCallResult';
import type { McpServerShown } from '@/wire/McpServerShown';
import type { McpToolList } from '@/wire/McpToolList';
import type { Page } from '@/wire/Page';
import { get, post } from './http';
import { keys } from './keys';

/** How all servers stand. Starts none. */
export function useMcpServers() {
  return useQuery({
    queryKey: keys.mcpServers,
    queryFn: async ({ signal }) =>
      (await get<Page<McpServerShown>>('/mcp/servers', {}, signal)).items,
    retry: false,
  });
}

/** The page shows what went wrong beside the server. */
const HANDLED_BY_PAGE = { isHandledByPage: true };

/** Connects to a server, which may start its program, and asks for its tools. */
export function useConnect() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (server: string) => get<McpToolList>('/mcp/tools', { server }),
    meta: HANDLED_BY_PAGE,
    onSettled: () => client.invalidateQueries({ queryKey: keys.mcpServers }),
  });
}

export function useCallTool() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (call: McpCall) => post<McpCallResult>('/mcp/tools/call', call),
    meta: HANDLED_BY_PAGE,
    onSettled: () => client.invalidateQueries({ queryKey: keys.mcpServers }),
  });
}

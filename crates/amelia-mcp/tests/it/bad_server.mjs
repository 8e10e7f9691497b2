// An MCP server over stdio that misbehaves as its first argument says. Notes every call in the file of the second.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , manner, notes] = process.argv;
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let asking;
const calls = () => (existsSync(notes) ? readFileSync(notes, 'utf8').length : 0);

if (manner === 'silent') setInterval(() => {}, 1000);
if (manner === 'dies') {
  process.stderr.write('no licence found\n');
  process.exit(3);
}
let tools = [{ name: 'work', inputSchema: { type: 'object' } }];
if (manner === 'names') {
  tools = [
    { name: 'n'.repeat(200), inputSchema: { type: 'object' } },
    { name: 'dots.and/slashes', inputSchema: { type: 'object' } },
    { name: 'unusable', inputSchema: { type: 'nonsense' } },
  ];
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (manner === 'silent') return;
  const { id, method, params, result } = JSON.parse(line);
  if (id === 'q1') return say({ id: asking, result: { content: [{ type: 'text', text: JSON.stringify(result) }] } });
  if (manner === 'garbage') process.stdout.write('Welcome to my server!\n{"jsonrpc": "2.0", "id"\n');
  if (manner === 'newest') {
    // No handshake: every request names the version.
    const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
    if (version !== '2026-07-28') return say({ id, error: { code: -32601, message: 'no such method' } });
    const of = (more) => say({ id, result: { resultType: 'complete', ...more } });
    if (method === 'server/discover') {
      const serverInfo = { name: 'new', version: '1' };
      return of({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo, ttlMs: 0, cacheScope: 'private' });
    }
    if (method === 'tools/list') return of({ tools, ttlMs: 0, cacheScope: 'private' });
    if (method === 'tools/call') return of({ content: [{ type: 'text', text: 'done' }] });
    return undefined;
  }
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true } };
    say({ id, result: { protocolVersion: '2024-11-05', capabilities, serverInfo: { name: 'bad', version: '1' } } });
  } else if (method === 'tools/list') {
    say({ id, result: { tools } });
  } else if (method === 'tools/call') {
    appendFileSync(notes, 'x');
    call(id);
  } else if (id !== undefined) {
    say({ id, error: { code: -32601, message: 'no such method' } });
  }
});

function call(id) {
  const answer = (text) => say({ id, result: { content: [{ type: 'text', text }] } });
  switch (manner) {
    case 'dies-in-call':
      if (calls() < 2) process.exit(1);
      return answer('second life');
    case 'hangs':
      return undefined;
    case 'huge':
      return answer('x'.repeat(50 * 1024 * 1024));
    case 'limits':
      return calls() < 3 ? say({ id, error: { code: -32000, message: '429 Too Many Requests' } }) : answer('at last');
    case 'changes':
      tools = [{ name: 'other', inputSchema: { type: 'object' } }];
      say({ method: 'notifications/tools/list_changed' });
      return answer('changed');
    case 'asks':
      asking = id;
      return say({ id: 'q1', method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } } });
    default:
      return answer('done');
  }
}

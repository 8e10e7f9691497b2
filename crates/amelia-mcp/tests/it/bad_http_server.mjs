// An MCP server over HTTP that misbehaves as the path of a request says: `/http/MANNER` is streamable HTTP, `/sse/MANNER` the
// transport before it. Prints its port, and then a line for every call of a tool.
import { createServer } from 'node:http';

const HUGE = 50 * 1024 * 1024;
const tools = [{ name: 'work', inputSchema: { type: 'object' } }];
const streams = new Map();
const calls = new Map();
const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
const message = (content) => JSON.stringify({ jsonrpc: '2.0', ...content });
const answer = (id, text) => message({ id, result: { content: [{ type: 'text', text }] } });

/// What is answered to all but calls.
function usual({ id, method }) {
  if (id === undefined) return null;
  const capabilities = { tools: {} };
  const serverInfo = { name: 'bad', version: '1' };
  if (method === 'initialize') return message({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo } });
  if (method === 'tools/list') return message({ id, result: { tools } });
  return message({ id, error: { code: -32601, message: 'no such method' } });
}

function overHttp(manner, request, response, asked) {
  if (manner === 'page') return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  if (asked.method !== 'tools/call') {
    const said = usual(asked);
    return said === null ? response.writeHead(202).end() : response.writeHead(200, json).end(said);
  }
  switch (manner) {
    case 'dies':
      if (calls.get('http/dies') < 2) return request.socket.destroy();
      return response.writeHead(200, json).end(answer(asked.id, 'second life'));
    case 'hangs':
      return undefined;
    case 'huge':
      return response.writeHead(200, json).end(answer(asked.id, 'x'.repeat(HUGE)));
    case 'huge-event':
      return response.writeHead(200, events).end(`data: ${answer(asked.id, 'x'.repeat(HUGE))}\n\n`);
    case 'huge-error':
      return response.writeHead(500, json).end(answer(asked.id, 'x'.repeat(HUGE)));
    case 'garbage':
      return response.writeHead(200, json).end('Welcome to my server!');
    case 'garbage-events':
      return response.writeHead(200, events).end(`data: Welcome!\n\n: ping\n\ndata: ${answer(asked.id, 'done')}\n\n`);
    case 'half':
      response.writeHead(200, { ...json, 'content-length': 1000 });
      response.write('{"jsonrpc": ');
      return setTimeout(() => request.socket.destroy(), 50);
    case 'busy':
      return response.writeHead(429, { 'retry-after': '1' }).end();
    default:
      return response.writeHead(200, json).end(answer(asked.id, 'done'));
  }
}

function openEvents(manner, response) {
  response.writeHead(200, events);
  if (manner === 'no-endpoint') return response.end('event: hello\ndata: you\n\n');
  if (manner === 'elsewhere') return response.write('event: endpoint\ndata: http://127.0.0.2:9/messages\n\n');
  streams.set(manner, response);
  return response.write(`event: endpoint\ndata: /messages/${manner}\n\n`);
}

function overEvents(manner, response, asked) {
  const stream = streams.get(manner);
  const say = (said) => stream.write(`event: message\ndata: ${said}\n\n`);
  if (asked.method !== 'tools/call') {
    response.writeHead(202).end();
    const said = usual(asked);
    return said === null ? undefined : say(said);
  }
  if (manner === 'refuses') return response.writeHead(500).end();
  response.writeHead(202).end();
  switch (manner) {
    case 'dies':
      return calls.get('messages/dies') < 2 ? stream.destroy() : say(answer(asked.id, 'second life'));
    case 'hangs':
      return undefined;
    case 'huge':
      return say(answer(asked.id, 'x'.repeat(HUGE)));
    case 'garbage':
      say('Welcome to my server!');
      return say(answer(asked.id, 'done'));
    default:
      return say(answer(asked.id, 'done'));
  }
}

const server = createServer((request, response) => {
  const [, transport, manner] = request.url.split('/');
  if (request.method === 'GET') {
    return transport === 'sse' ? openEvents(manner, response) : response.writeHead(405).end();
  }
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  return request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(pieces));
    if (asked.method === 'tools/call') {
      const path = `${transport}/${manner}`;
      calls.set(path, (calls.get(path) ?? 0) + 1);
      console.log(`call ${manner}`);
    }
    return transport === 'http' ? overHttp(manner, request, response, asked) : overEvents(manner, response, asked);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

// A server of its own with a scripted crew, for tests, screenshots and development: real files, real git, no key, no network.
// `node e2e/world.mjs --port 8500` keeps one with runs in many states until it is interrupted.

import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The program under test. */
export function program() {
  const target = process.env.CARGO_TARGET_DIR ?? join(here, '../../target');
  return process.env.AMELIA_BIN ?? join(target, 'debug/amelia');
}

const git = (dir, ...args) => execFileSync('git', args, { cwd: dir, stdio: 'pipe' }).toString();

/** A small repository with a failing test. */
export function repository(dir, name = 'sample') {
  const path = join(dir, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'calc.sh'), '#!/bin/sh\necho $(($1 - $2))\n', { mode: 0o755 });
  const test =
    '#!/bin/sh\nsum=$(./calc.sh 2 3)\n[ "$sum" = 5 ] || { echo "expected 5 and got $sum"; exit 1; }\necho ok\n';
  writeFileSync(join(path, 'test.sh'), test, { mode: 0o755 });
  git(path, 'init', '--quiet', '--initial-branch=main');
  git(path, 'config', 'user.name', 'Ada');
  git(path, 'config', 'user.email', 'ada@example.org');
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--message', 'A sum that is wrong');
  return path;
}

/** Files for a run, as a request has them: one that is text, and an image of one pixel. */
export const ATTACHED = [
  { name: 'build.log', data: Buffer.from('expected 5 and got -1\n').toString('base64') },
  {
    name: 'shot.png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  },
];

/** A process of ours, and the first line that fits what it says. */
function started(args, options, wanted) {
  const child = spawn(program(), args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const said = [];
  return new Promise((resolve, reject) => {
    const hear = (chunk) => {
      said.push(chunk.toString());
      const match = wanted.exec(said.join(''));
      if (match) resolve({ child, match });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', (code) =>
      reject(new Error(`${args.join(' ')} ended with ${code}: ${said.join('')}`)),
    );
  });
}

async function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await over;
}

/** `amelia demo --open`, as in a terminal without a screen: where it is, and how it ends. */
export async function demo() {
  const dir = mkdtempSync(join(tmpdir(), 'amelia-shown-'));
  const home = join(dir, 'demo');
  const { child, match } = await started(
    ['demo', '--open', '--fast', '--dir', home],
    { env: { ...process.env, BROWSER: 'false' } },
    /(http:\S+\/ui\/runs\/\S+)\s/,
  );
  const stop = async () => {
    await ended(child, 'SIGTERM');
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  };
  return { home, link: match[1], url: new URL(match[1]).origin, stop };
}

/** Where the MCP servers are, as tests of the program install them. */
const installedServers = () =>
  execFileSync('sh', [join(here, '../../scripts/setup-mcp.sh')])
    .toString()
    .trim();

export class World {
  constructor(dir, port) {
    this.dir = dir;
    this.home = join(dir, 'home');
    this.port = port;
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
  }

  /** A server, a scripted model, a repository and a profile that uses them. */
  static async start({ script = 'demo', port = 0, profile = {} } = {}) {
    const world = new World(mkdtempSync(join(tmpdir(), 'amelia-world-')), port);
    world.repository = repository(world.dir);
    world.model = await world.serveModel(script);
    await world.startServer();
    await world.post('/profiles', world.profile('crew', profile));
    await world.post('/profiles/crew/activate');
    return world;
  }

  async serveModel(script) {
    const file =
      script === 'demo'
        ? join(here, '../../crates/amelia/demo/model.yaml')
        : join(here, 'scripts', `${script}.yaml`);
    const { child, match } = await started(
      ['model', 'serve', file],
      { env: { ...process.env, AMELIA_HOME: this.home } },
      /(http:\/\/[\d.]+:\d+)/,
    );
    this.models = [...(this.models ?? []), child];
    return match[1];
  }

  /** Puts the example workflows into the repository, with a scripted model that answers as the example `name` needs it. */
  async addWorkflows(name) {
    const examples = join(here, '../../examples/workflows');
    const model = await this.serveModel(`../../../examples/workflows/${name}.script`);
    for (const kind of ['agents', 'workflows']) {
      const to = join(this.repository, '.amelia', kind);
      mkdirSync(to, { recursive: true });
      for (const file of readdirSync(join(examples, kind))) {
        const text = readFileSync(join(examples, kind, file), 'utf8');
        writeFileSync(join(to, file), text.replace('http://127.0.0.1:8899', model));
      }
    }
  }

  /** Puts an example team into the repository, and those inside it, with a scripted model that answers as it needs. */
  async addTeam(name, ...inside) {
    const examples = join(here, '../../examples/teams');
    const to = join(this.repository, '.amelia/teams');
    const model = await this.serveModel(`../../../examples/teams/${name}.script`);
    mkdirSync(to, { recursive: true });
    for (const one of [name, ...inside]) {
      const text = readFileSync(join(examples, `${one}.yaml`), 'utf8');
      writeFileSync(join(to, `${one}.yaml`), text.replaceAll('http://127.0.0.1:8899', model));
    }
  }

  /** Starts a run of a team; returns its id. */
  async startTeam(team, more = {}) {
    const input = { team, prompt: 'About rivers', worktree_path: this.repository, ...more };
    return (await this.post('/tasks', input)).id;
  }

  /** Agents that delegate to each other, and a workflow that begins with the first of them. */
  addDelegates() {
    const names = {
      manager: ['researcher', 'writer'],
      researcher: ['reader'],
      reader: [],
      writer: [],
    };
    const write = (kind, name, text) => {
      const to = join(this.repository, '.amelia', kind);
      mkdirSync(to, { recursive: true });
      writeFileSync(join(to, `${name}.yaml`), JSON.stringify(text));
    };
    for (const [name, sub_agents] of Object.entries(names)) {
      const llm_config = { endpoint: `${this.model}/v1`, model: name };
      const tools = name === 'reader' ? ['read_file', 'list_files'] : [];
      const system_prompt = 'You do what you are told.';
      write('agents', name, { name, role: 'helps', system_prompt, tools, sub_agents, llm_config });
    }
    const nodes = { manager: { type: 'agent', agent: 'manager' } };
    write('workflows', 'delegate', { name: 'delegate', entry_point: 'manager', nodes });
  }

  /** Starts a run whose MCP server asks a person; returns its id. */
  async startEliciting() {
    const script = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
    const config = { command: 'node', args: [join(installedServers(), script)] };
    mkdirSync(join(this.home, 'config'), { recursive: true });
    const servers = { everything: { transport: 'stdio', config } };
    writeFileSync(join(this.home, 'config/mcp_servers.yaml'), JSON.stringify({ servers }));
    const mcp_tools = ['everything:trigger-elicitation-request'];
    await this.post('/profiles', this.profile('eliciting', { mcp_tools }));
    const input = { prompt: 'Who is she?', worktree_path: this.repository, profile: 'eliciting' };
    const { id } = await this.post('/workflows/single', input);
    await this.until(id, 'awaiting_approval');
    return id;
  }

  /** Configures the real MCP server `memory` in the home, as tests of the program install it. */
  addMemoryServer() {
    const installed = installedServers();
    const script = 'node_modules/@modelcontextprotocol/server-memory/dist/index.js';
    const env = { MEMORY_FILE_PATH: join(this.dir, 'memory.json'), SECRET: 'never-shown-4711' };
    const config = { command: 'node', args: [join(installed, script)], env };
    const broken = { command: 'sh', args: ['-c', 'echo no licence for $SECRET >&2; exit 3'], env };
    const servers = {
      memory: { transport: 'stdio', description: 'Keeps facts.', config },
      broken: { transport: 'stdio', config: broken },
    };
    mkdirSync(join(this.home, 'config'), { recursive: true });
    writeFileSync(join(this.home, 'config/mcp_servers.yaml'), JSON.stringify({ servers }));
  }

  /** Another repository like the first one; returns where it is. */
  addRepository(name) {
    return repository(this.dir, name);
  }

  /** The repository is at GitHub, with a `gh` that knows one pull request; pushes go to a directory. */
  async addGitHub() {
    const bin = join(this.dir, 'bin');
    mkdirSync(bin);
    copyFileSync(join(here, 'scripts/gh.sh'), join(bin, 'gh'));
    git(this.dir, 'init', '--quiet', '--bare', 'remote/where.git');
    git(this.repository, 'remote', 'add', 'origin', 'https://github.com/some/where.git');
    const instead = `url.${join(this.dir, 'remote')}/.pushInsteadOf`;
    git(this.repository, 'config', instead, 'https://github.com/some/');
    this.env = { PATH: `${bin}:${process.env.PATH}`, GH_TOKEN: '', GITHUB_TOKEN: '' };
    await this.stopServer();
    await this.startServer();
  }

  async startServer() {
    const env = { ...process.env, AMELIA_HOME: this.home, ...this.env };
    const { child, match } = await started(
      // What was just built, without building the program again.
      ['server', '--port', String(this.port), '--dashboard', join(here, '../dist')],
      { env },
      /(http:\/\/[\d.]+:(\d+))/,
    );
    this.server = child;
    this.port = Number(match[2]);
    this.url = match[1];
    this.token = readFileSync(join(this.home, 'token'), 'utf8').trim();
  }

  /** The server dies as if the power went. */
  kill() {
    return ended(this.server, 'SIGKILL');
  }

  stopServer() {
    return ended(this.server, 'SIGTERM');
  }

  async stop() {
    await this.stopServer();
    for (const child of this.models ?? []) await ended(child, 'SIGTERM');
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  profile(name, more = {}, model = this.model) {
    const agent = (role) => [
      role,
      {
        driver: 'api',
        model: role,
        options: { provider: 'openai-compatible', base_url: `${model}/v1` },
      },
    ];
    return {
      name,
      repo_root: this.repository,
      tracker: 'noop',
      agents: Object.fromEntries(['architect', 'developer', 'reviewer', 'evaluator'].map(agent)),
      checks: [{ name: 'tests', command: './test.sh', timeout: 60 }],
      ...more,
    };
  }

  /** The link that a person clicks. */
  link(path = '/ui/') {
    return `${this.url}/api/session?token=${this.token}&next=${encodeURIComponent(path)}`;
  }

  async call(method, path, body) {
    const answer = await fetch(`${this.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  get(path) {
    return this.call('GET', path);
  }

  post(path, body) {
    return this.call('POST', path, body);
  }

  /** Starts a run; returns its id. */
  async startRun(more = {}) {
    const input = {
      issue_id: 'DEMO-1',
      title: 'calc.sh does not add',
      description:
        '`./calc.sh 2 3` prints -1. It should print 5. Nothing says how it is used, either.',
      worktree_path: this.repository,
      profile: 'crew',
      ...more,
    };
    return (await this.post('/workflows', input)).id;
  }

  /** Starts a run whose plan waits for a person; returns its id. */
  async startPlanned(more) {
    const run = await this.startRun(more);
    await this.until(run, 'awaiting_approval');
    return run;
  }

  /** Starts a run whose plan is approved; returns its id. */
  async startApproved(more) {
    const run = await this.startPlanned(more);
    await this.post(`/workflows/${run}/approve`);
    return run;
  }

  /** Starts a run, and waits until it is done; returns its id. */
  async startCompleted(more) {
    const run = await this.startApproved(more);
    await this.until(run, 'completed');
    return run;
  }

  /** Starts a run of one agent that asks before commands; returns its id. */
  async startAsking(model = this.model, allow = []) {
    const base_url = `${model}/v1`;
    const options = { provider: 'openai-compatible', base_url, permissions: 'commands', allow };
    const agents = { developer: { driver: 'api', model: 'developer', options } };
    await this.post('/profiles', this.profile('asking', { agents }));
    const input = { prompt: 'make it', worktree_path: this.repository, profile: 'asking' };
    const { id } = await this.post('/workflows/single', input);
    await this.until(id, 'awaiting_approval');
    return id;
  }

  /** Waits until the run is in one of these statuses. */
  async until(run, ...statuses) {
    for (let tries = 0; tries < 600; tries += 1) {
      const { status } = await this.get(`/workflows/${run}`);
      if (statuses.includes(status)) return status;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`run ${run} did not become ${statuses.join(' or ')}`);
  }

  /** Lets commands that wait for it continue. */
  go() {
    writeFileSync(join(this.home, 'go'), '');
  }

  /** The command line, in this world. */
  cli(...args) {
    return execFileSync(program(), args, {
      env: { ...process.env, AMELIA_HOME: this.home },
      cwd: this.repository,
    }).toString();
  }

  /** Runs in many states, for screens that show many. */
  async populate() {
    const done = await this.startCompleted();
    const waiting = await this.startPlanned({
      issue_id: 'DEMO-2',
      title: 'The sum of two words is not refused',
      attachments: ATTACHED,
    });
    await this.post('/profiles', this.profile('away', {}, 'http://127.0.0.1:9'));
    const failed = await this.startRun({
      issue_id: 'DEMO-3',
      title: 'Dividing by zero says nothing',
      profile: 'away',
    });
    const cancelled = await this.startPlanned({
      issue_id: 'DEMO-4',
      title: 'Print hexadecimal, too',
    });
    await this.post(`/workflows/${cancelled}/cancel`);
    await this.startRun({ issue_id: 'DEMO-5', title: 'Read numbers from a file', queue: true });
    const limited = await this.startRun({
      issue_id: 'DEMO-6',
      title: 'Say how fast it is',
      budget: { tokens: 300 },
    });
    await this.until(failed, 'failed', 'paused');
    await this.until(limited, 'paused', 'failed');
    return { done, waiting, failed, cancelled, limited };
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf('--port');
  const world = await World.start({ port: at > 0 ? Number(process.argv[at + 1]) : 0 });
  const runs = await world.populate();
  console.log(
    JSON.stringify(
      { url: world.url, token: world.token, link: world.link(), home: world.home, runs },
      null,
      2,
    ),
  );
  const stop = () => world.stop().then(() => process.exit(0));
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

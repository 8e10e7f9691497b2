// The dashboard's figures in a real browser: what is on the screen when, how smoothly, and what it weighs.
// `node bench/dashboard/measure.mjs` prints one BENCH line per figure; nothing is judged by the exit code.
// Needs a release build of amelia and amelia-bench, and `make dashboard`.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');
const profile = process.env.AMELIA_PROFILE ?? 'release';
process.env.AMELIA_BIN ??= join(target, profile, 'amelia');
const { chromium } = createRequire(join(root, 'dashboard/package.json'))('@playwright/test');
const { World } = await import(join(root, 'dashboard/e2e/world.mjs'));

const browserPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--enable-precise-memory-info'];

/** One part alone, by the name of its function. */
const only = process.argv[2];

const round = (value, digits = 1) => Number(value.toFixed(digits));
const at = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

function tell(name, value, unit, limit, more = {}) {
  const verdict = limit === null ? 'seen' : value <= limit ? 'ok' : 'missed';
  console.log(`BENCH ${JSON.stringify({ name, value: round(value, 2), unit, limit, verdict, ...more })}`);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Frame times during `act`, as the page itself sees them. */
async function frames(page, act) {
  await page.evaluate(() => {
    const seen = { times: [], on: true };
    let last = performance.now();
    const tick = (now) => {
      seen.times.push(now - last);
      last = now;
      if (seen.on) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    window.measured = seen;
  });
  await act();
  return page.evaluate(() => {
    window.measured.on = false;
    return window.measured.times.slice(2);
  });
}

/** The JavaScript heap after a collection, and what the tab's process holds, in MB. */
async function weight(browser, page) {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { metrics } = await client.send('Performance.enable').then(() => client.send('Performance.getMetrics'));
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize').value / 1e6;
  const system = await browser.newBrowserCDPSession();
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  const tabs = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateOf(id));
  return { heap, process: Math.max(...tabs) };
}

/** Memory that a process shares with no other, in MB. */
function privateOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const lines = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)];
    return lines.reduce((sum, [, kb]) => sum + Number(kb), 0) / 1000;
  } catch {
    return 0;
  }
}

async function firstPaint(browser, world) {
  const times = [];
  let script = 0;
  for (let turn = 0; turn < 10; turn += 1) {
    // A browser of its own each time: nothing is in a cache.
    const cold = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const fresh = await cold.newPage();
    let bytes = 0;
    fresh.on('response', (answer) => {
      if (/\.js$/.test(new URL(answer.url()).pathname)) bytes += Number(answer.headers()['content-length'] ?? 0);
    });
    await fresh.goto(world.link('/ui/'));
    await fresh.waitForLoadState('load');
    const paint = await fresh.evaluate(
      () =>
        new Promise((resolve) => {
          const watch = new PerformanceObserver((list) => {
            const found = list.getEntriesByName('first-contentful-paint')[0];
            if (found) resolve(found.startTime);
          });
          watch.observe({ type: 'paint', buffered: true });
        }),
    );
    times.push(paint);
    script = bytes;
    await cold.close();
  }
  tell('dashboard_first_paint_p50', at(times, 0.5), 'ms', 300, { p90: round(at(times, 0.9)), runs: times.length });
  tell('dashboard_initial_script', script / 1000, 'kB', 250, { note: 'as sent for Home, gzip' });
}

async function single(world, model) {
  const input = { prompt: 'Look at the program, again and again.', worktree_path: world.repository, read_only: true, max_turns: 100000, model: { model, provider: 'openai-compatible', base_url: `${world.model}/v1` } };
  return (await world.post('/workflows/single', input)).id;
}

/** From the commit of an event to its row on the screen, at about 200 events a second. */
async function eventToScreen(browser, world) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(world.link('/ui/'));
  const run = await single(world, 'steady');
  await page.goto(`${world.url}/ui/runs/${run}`);
  await page.waitForSelector('[data-seq]');
  await sleep(1000);
  await page.evaluate(() => {
    const seen = new Map();
    // A row that was put in is painted by the end of this frame: by the beginning of the next it was seen.
    const look = () => {
      const now = performance.timeOrigin + performance.now();
      for (const row of document.querySelectorAll('[data-seq]')) {
        const seq = Number(row.dataset.seq);
        if (!seen.has(seq)) seen.set(seq, now);
      }
    };
    new MutationObserver(() => requestAnimationFrame(look)).observe(document.body, { subtree: true, childList: true });
    window.seenAt = seen;
  });
  const before = (await world.get(`/workflows/${run}`)).sequence;
  await sleep(10_000);
  const seen = new Map(await page.evaluate(() => [...window.seenAt]));
  const after = (await world.get(`/workflows/${run}`)).sequence;
  await world.post(`/workflows/${run}/cancel`);
  const late = [];
  let cursor = before;
  while (cursor < after) {
    const { items } = await world.get(`/workflows/${run}/events?format=log&limit=500&after=${cursor}`);
    if (items.length === 0) break;
    for (const event of items) {
      const shown = seen.get(event.seq);
      if (shown !== undefined && event.seq > before + 20) late.push(shown - Date.parse(event.at));
    }
    cursor = items.at(-1).seq;
  }
  tell('dashboard_event_to_screen_p99', at(late, 0.99), 'ms', 100, { p50: round(at(late, 0.5)), rate: round((after - before) / 10), rows: late.length });
  await page.context().close();
}

/** 5,000 events a second, put into the page's socket from outside: no server would be the measure here. */
async function burst(browser, world) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(world.link('/ui/'));
  const run = await single(world, 'steady');
  // It rests, and its socket stays open: of a run that is over the server closes it.
  await world.post(`/workflows/${run}/pause`);
  while ((await world.get(`/workflows/${run}`)).status !== 'paused') await sleep(50);
  const { items } = await world.get(`/workflows/${run}/events?format=log&limit=500`);
  let seq = items.at(-1).seq;
  const facts = items.filter(({ kind }) => 'agent' in kind);
  let send;
  await page.routeWebSocket(/\/stream/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => socket.send(message));
    send = (lines) => socket.send(lines);
  });
  await page.goto(`${world.url}/ui/runs/${run}`);
  await page.waitForSelector('[data-seq]');
  const begun = Date.now();
  let sent = 0;
  const times = await frames(page, async () => {
    while (Date.now() - begun < 8000) {
      const due = ((Date.now() - begun) / 1000) * 5000 - sent;
      const lines = Array.from({ length: Math.max(0, Math.floor(due)) }, () => {
        seq += 1;
        const fact = facts[seq % facts.length];
        return JSON.stringify({ type: 'event', payload: { ...fact, seq } });
      });
      if (lines.length > 0) send(`${lines.join('\n')}\n`);
      sent += lines.length;
      await sleep(10);
    }
  });
  await sleep(1000);
  const isAlive = (await page.getByText(`#${seq}`).count()) > 0;
  await world.post(`/workflows/${run}/cancel`);
  tell('dashboard_burst_longest_frame', Math.max(...times), 'ms', null, { p99: round(at(times, 0.99)), p50: round(at(times, 0.5)), events_per_second: round(sent / 8), last_event_shown: isAlive });
  await page.context().close();
}

async function longRun(browser, world, run) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(world.link('/ui/'));
  const begun = Date.now();
  await page.goto(`${world.url}/ui/runs/${run}?tab=events`);
  const { sequence } = await world.get(`/workflows/${run}`);
  await page.getByText(`#${sequence}`).first().waitFor({ timeout: 60_000 });
  tell('dashboard_100k_events_open', Date.now() - begun, 'ms', null);
  await sleep(1500);
  for (const [name, label] of [['stream', 'What happened'], ['events', 'Events']]) {
    const list = page.getByRole('list', { name: label, exact: true });
    await list.hover();
    // A notch of the wheel per frame, which is as fast as fingers are; and five, which is a flick of a touchpad.
    for (const pixels of [120, 600]) {
      const times = await frames(page, async () => {
        for (let turn = 0; turn < 120; turn += 1) {
          await page.mouse.wheel(0, turn < 60 ? -pixels : pixels);
          await sleep(16);
        }
      });
      // Three frames of a screen with 60 Hz are 50 ms, give or take what the clock rounds.
      const long = times.filter((time) => time > 51).length;
      tell(`dashboard_100k_scroll_${name}_longest_frame`, Math.max(...times), 'ms', 51, { p99: round(at(times, 0.99)), over_50: long, frames: times.length, pixels_per_turn: pixels });
    }
  }
  const { heap, process: held } = await weight(browser, page);
  tell('dashboard_100k_tab_memory', held, 'MB', 300, { js_heap_mb: round(heap) });
  await page.context().close();
}

/** The trace of the long run: until it is there, what opening a stage and its conversation takes, and how it scrolls. */
async function longTrace(browser, world, run) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(world.link('/ui/'));
  const begun = Date.now();
  await page.goto(`${world.url}/ui/runs/${run}?tab=trace&zoom=tree`);
  const tree = page.getByRole('list', { name: 'Time and cost by step', exact: true });
  await tree.getByRole('listitem').nth(1).waitFor({ timeout: 60_000 });
  tell('dashboard_100k_trace_open', Date.now() - begun, 'ms', null);
  await sleep(1500);
  const opening = await frames(page, async () => {
    // Stages, then conversations, then turns: each click opens the first row that is closed.
    for (let turn = 0; turn < 12; turn += 1) {
      await tree.locator('[aria-expanded="false"]').first().click();
      await sleep(100);
    }
  });
  tell('dashboard_100k_trace_toggle_longest_frame', Math.max(...opening), 'ms', 51, { p99: round(at(opening, 0.99)), frames: opening.length });
  await tree.hover();
  const times = await frames(page, async () => {
    for (let turn = 0; turn < 120; turn += 1) {
      await page.mouse.wheel(0, turn < 60 ? 600 : -600);
      await sleep(16);
    }
  });
  tell('dashboard_100k_trace_scroll_longest_frame', Math.max(...times), 'ms', 51, { p99: round(at(times, 0.99)), over_50: times.filter((time) => time > 51).length, frames: times.length });
  await page.context().close();
}

const world = await World.start({ script: 'busy' });
try {
  // The long log is written while no server owns the home.
  await world.stopServer();
  const recording = join(root, 'crates/amelia/demo/recording.jsonl');
  const bench = process.env.AMELIA_BENCH ?? join(target, profile, 'amelia-bench');
  const run = execFileSync(bench, ['long-log', '--home', world.home, '--recording', recording]).toString().trim();
  await world.startServer();
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  for (const [name, measure] of Object.entries({ firstPaint, eventToScreen, burst, longRun, longTrace })) {
    if (only === undefined || only === name) await measure(browser, world, run);
  }
  await browser.close();
} finally {
  await world.stop();
}

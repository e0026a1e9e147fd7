// `dropgate demo --cluster`, played once to its end and once stopped in the middle; and what it says where a server is not installed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../support/postgres.ts';
import { MAIN } from '../support/program.ts';
import { hasRedis } from '../support/redis-server.ts';
import { have } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

interface Playing {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
}

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-demo-test-'));
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o755);
});
afterEach(() => {
  try {
    process.kill(-(child?.pid ?? 0), 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
  rmSync(folder, { recursive: true, force: true });
});

/** As a terminal starts it: in a group of its own, to all of which Ctrl-C goes. */
function play(env: Readonly<Record<string, string>> = {}): Playing {
  const started = spawn(process.execPath, [MAIN, 'demo', '--cluster'], { detached: true, env: { ...process.env, TMPDIR: folder, ...env } });
  child = started;
  let [out, err] = ['', ''];
  started.stdout.on('data', (text) => (out += text));
  started.stderr.on('data', (text) => (err += text));
  return { child: started, out: () => out, err: () => err };
}

/** Processes whose command line names it, or which work in it: Redis shows another command line. */
function processesIn(place: string): string[] {
  const isThere = (pid: string): boolean => {
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8'), readlinkSync(`/proc/${pid}/cwd`)].some((text) => text.includes(place));
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isThere(name));
}

describe.skipIf(!hasPostgres || !hasRedis || !have('sftp'))('demo --cluster', () => {
  it('kills a node in the middle, shows who has its homes, and counts: nothing lost, nothing twice', async () => {
    const demo = play();
    const [status] = await once(demo.child, 'close');
    expect([status, demo.err()]).toEqual([0, '']);
    const steps = demo.out();
    const [, killed] = /Killed: node ([abc]), by SIGKILL, with \d homes in hand/.exec(steps) ?? [];
    const [, by, ended] = /Taken over: node ([abc]) has ended ([abc]) \d+\.\d s later/.exec(steps) ?? [];
    expect(ended).toBe(killed);
    expect(by).not.toBe(killed);
    expect(steps).toContain('acknowledged 80, delivered 80, lost 0, twice 0.');
    expect([readdirSync(folder), processesIn(folder)]).toEqual([[], []]);
  });

  it('leaves nothing behind where Ctrl-C stops it', async () => {
    const demo = play();
    await until('it to upload', () => demo.out().includes('Uploading:'));
    const ended = once(demo.child, 'close');
    process.kill(-(demo.child.pid ?? 0), 'SIGINT');
    expect(await ended).toEqual([null, 'SIGINT']);
    expect([readdirSync(folder), processesIn(folder), demo.err()]).toEqual([[], [], '']);
  });

  it('says what to install', async () => {
    const demo = play({ PATH: '/nowhere' });
    const [status] = await once(demo.child, 'close');
    expect(status).toBe(1);
    expect(demo.err()).toMatch(/^dropgate: demo --cluster .* Redis \(redis-server\) is not: apt install .*redis-server\.\n$/);
  });
});

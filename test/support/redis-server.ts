// Redis for tests: a server that ends with this process at the latest, and of which nothing stays.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Redis } from 'ioredis';
import type { RedisPlace } from '#engines/redis/place.ts';
import { freePort } from './free-port.ts';
import { neededPackage } from './needed.ts';
import { until } from './until.ts';

export const hasRedis = neededPackage('Redis', isThere(), 'redis-server');

const HOST = '127.0.0.1';

/** Says its id, and ends it when the pipe closes, however the process at its other end has ended. */
const SCRIPT = `exec 3<&0
redis-server "$@" 3<&- >/dev/null & server=$!
echo $server
exec >/dev/null
cat <&3; kill -KILL $server`;

export interface StartedRedis extends AsyncDisposable {
  readonly place: RedisPlace;
  /** Of the server itself. */
  readonly pid: number;
  /** Asks as nobody else does: the answer comes, however long that takes. */
  ask(command: string, ...args: readonly string[]): Promise<unknown>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** It keeps nothing. */
  kill(): Promise<void>;
  /** Resolves when it answers: with what was saved where that is given, and empty otherwise. */
  start(saved?: Buffer): Promise<void>;
  /** All that it has now, as a dump of its own. */
  save(): Promise<Buffer>;
}

export interface RedisSettings {
  /** In redis.conf's words. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly isStarted?: boolean;
}

export async function startRedis({ settings = {}, isStarted = true }: RedisSettings = {}): Promise<StartedRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-redis-'));
  const place = {
    host: HOST,
    port: await freePort(),
    user: null,
    password: settings.requirepass ?? null,
    database: 0,
    isEncrypted: false,
    ca: null,
  };
  const all = { port: String(place.port), bind: HOST, dir: folder, save: '', appendonly: 'no', ...settings };
  const dump = join(folder, 'dump.rdb');
  const words = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  let child: ChildProcess | undefined;
  let pid = 0;
  const ask = async (command: string, ...args: readonly string[]): Promise<unknown> => {
    const redis = new Redis({
      host: HOST,
      port: place.port,
      ...(place.password !== null && { password: place.password }),
      lazyConnect: true,
    });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await redis.call(command, ...args);
    } finally {
      redis.disconnect();
    }
  };
  const end = async (): Promise<void> => {
    if (!child) return;
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
    child = undefined;
  };
  const redis: StartedRedis = {
    place,
    get pid() {
      return pid;
    },
    ask,
    signal: (signal) => void process.kill(pid, signal),
    kill: end,
    async start(saved) {
      if (saved) writeFileSync(dump, saved);
      child = spawn('/bin/sh', ['-c', SCRIPT, 'redis', ...words], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
      if (child.stdout) pid = Number(await text(child.stdout));
      await until('Redis to answer', () => ask('ping').catch(() => undefined));
      rmSync(dump, { force: true });
    },
    async save() {
      await ask('save');
      const saved = readFileSync(dump);
      rmSync(dump);
      return saved;
    },
    async [Symbol.asyncDispose]() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  if (isStarted) await redis.start();
  return redis;
}

function isThere(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

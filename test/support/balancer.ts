// HAProxy in front of gateways and of cores: TCP with the PROXY protocol for SFTP, HTTP for the API. It ends with this process at the latest.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from './free-port.ts';
import { neededPackage } from './needed.ts';
import { until } from './until.ts';

export const hasBalancer = neededPackage('HAProxy', isThere(), 'haproxy');

export interface Balancer extends AsyncDisposable {
  readonly sftpPort: number;
  readonly coreUrl: string;
  /** As an administrator does, by its socket; servers of `sftp` are called s0, s1 and so on. */
  tell(command: string): Promise<void>;
}

/** Ends it when the pipe closes, however the process at its other end has ended. */
const SCRIPT = `exec 3<&0
haproxy -db -f "$1" 3<&- >/dev/null 2>&1 & balancer=$!
cat <&3 >/dev/null; kill -KILL $balancer`;

/** Between two looks at a server; an answer may take as long. */
const LOOK_MS = 200;

export async function startBalancer(gateways: readonly number[], cores: readonly number[], lookMs = LOOK_MS): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-balancer-'));
  const [sftpPort, corePort] = [await freePort(), await freePort()];
  const [file, socket] = [join(folder, 'haproxy.cfg'), join(folder, 'admin.sock')];
  writeFileSync(file, configurationOf({ sftpPort, corePort, gateways, cores, socket, lookMs }));
  const child: ChildProcess = spawn('/bin/sh', ['-c', SCRIPT, 'balancer', file], { stdio: ['pipe', 'ignore', 'inherit'] });
  for (const port of [sftpPort, corePort]) await until('the balancer to listen', () => listens(port));
  return {
    sftpPort,
    coreUrl: `http://127.0.0.1:${corePort}`,
    async tell(command) {
      const answer = await text(connect(socket).end(`${command}\n`));
      if (answer.trim() !== '') throw new Error(`haproxy answered: ${answer}`);
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.stdin?.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Ports {
  readonly sftpPort: number;
  readonly corePort: number;
  readonly gateways: readonly number[];
  readonly cores: readonly number[];
  readonly socket: string;
  readonly lookMs: number;
}

/** What docs/cluster.md says of a balancer: it looks whether a gateway names itself, and asks cores for /health. */
function configurationOf({ sftpPort, corePort, gateways, cores, socket, lookMs }: Ports): string {
  const servers = (ports: readonly number[], options: string): string[] =>
    ports.map((port, at) => `  server s${at} 127.0.0.1:${port} check inter ${lookMs}ms fall 2 rise 1 ${options}`);
  return [
    'global',
    `  stats socket ${socket} level admin`,
    'defaults',
    '  timeout connect 1s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  option redispatch',
    'listen sftp',
    '  mode tcp',
    `  bind 127.0.0.1:${sftpPort}`,
    '  balance roundrobin',
    '  option tcp-check',
    '  tcp-check expect string SSH-2.0',
    ...servers(gateways, 'send-proxy on-marked-down shutdown-sessions'),
    'listen cores',
    '  mode http',
    `  bind 127.0.0.1:${corePort}`,
    '  balance roundrobin',
    '  option httpchk GET /health',
    ...servers(cores, ''),
    '',
  ].join('\n');
}

function listens(port: number): Promise<boolean> {
  return new Promise((told) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.destroy() && told(true));
    socket.once('error', () => told(false));
  });
}

function isThere(): boolean {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

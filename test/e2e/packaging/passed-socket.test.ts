// The core's socket passed by systemd: whoever asks while the daemon restarts is answered, as an access point that has a document verified must be,
// for it refuses what cannot be verified.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { AP_TOKEN } from '../../support/access-point.ts';
import { calm } from '../../support/calm.ts';
import { type Fact, SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../../support/daemon.ts';
import { BUYER, invoice, SELLER } from '../../support/documents.ts';
import { freePort, isFree } from '../../support/free-port.ts';
import { envelopeOf } from '../../support/network-answers.ts';
import { MAIN } from '../../support/program.ts';
import { have } from '../../support/sftp-clients.ts';
import { until } from '../../support/until.ts';

const RESTARTS = 3;
const ASKERS = 8;
/** Starts the daemon again for each line on its standard input, as systemd does: with the socket, and in the variables the process that it is for. */
const MANAGER = `while read -r go; do sh -c 'LISTEN_PID=$$ exec "$@"' sh "$@" </dev/null; echo "{\\"event\\":\\"ended\\",\\"status\\":$?}"; done`;
const ENVELOPE = envelopeOf(invoice({ sender: BUYER, receiver: SELLER }), {
  instanceId: '7f0a6b7e-0000-4000-8000-000000000001',
  sender: BUYER,
  receiver: SELLER,
});

let port: number;
/** It does not run: managers start daemons on its folder. */
let site: TestDaemon;

interface Manager {
  readonly process: ChildProcess;
  facts(event: string): Fact[];
  complaints(): string;
  /** Resolves when the address is held, whether or not a daemon is there. */
  start(): void;
}

/** What holds the address, and begins with the first who connects. */
async function startManager(name = 'core', role = 'all'): Promise<Manager> {
  const log = join(site.folder, 'manager.log');
  const descriptor = openSync(log, 'w+');
  const daemon = [process.execPath, MAIN, 'serve', '--role', role, '--config', site.configFile];
  const variables = ['NODE_COMPILE_CACHE', 'PATH', 'TOKEN'].flatMap((variable) => ['-E', variable]);
  const words = ['-l', `127.0.0.1:${port}`, `--fdname=${name}`, ...variables, 'sh', '-c', MANAGER, 'sh', ...daemon];
  const manager = spawn('systemd-socket-activate', words, {
    cwd: site.folder,
    detached: true,
    stdio: ['pipe', descriptor, descriptor],
    env: { ...process.env, TOKEN: AP_TOKEN },
  });
  closeSync(descriptor);
  onTestFinished(async () => {
    if (manager.exitCode === null && manager.signalCode === null) {
      process.kill(-(manager.pid ?? 0), 'SIGKILL');
      await once(manager, 'exit');
    }
    // Its daemon, which is killed with it, may have the socket for a moment longer.
    await until('the address to be free', () => isFree(port));
  });
  const lines = (): string[] => readFileSync(log, 'utf8').split('\n');
  await until('the address to be held', () => lines().some((line) => line.startsWith('Listening on')));
  return {
    process: manager,
    facts: (event) => lines().flatMap((line) => (line.endsWith('}') && line.includes(`"event":"${event}"`) ? [JSON.parse(line)] : [])),
    complaints: () =>
      lines()
        .filter((line) => line.startsWith('dropgate: '))
        .join('\n'),
    start: () => void manager.stdin?.write('go\n'),
  };
}

/** As phoss-ap asks: by a connection of its own for each document. Resolves with the verdict, or with why there is none. */
function verify(): Promise<string> {
  return new Promise((told) => {
    const asking = request(
      `http://127.0.0.1:${port}/api/dd_and_validate/`,
      { method: 'POST', agent: false, headers: { 'content-type': 'application/xml', 'x-token': AP_TOKEN } },
      (response) => {
        let text = '';
        response.on('data', (piece) => (text += piece)).on('end', () => told(`${response.statusCode} ${JSON.parse(text).success}`));
      },
    );
    asking.on('error', ({ message }) => told(message)).end(ENVELOPE);
  });
}

const count = (manager: Manager, event: string): number => manager.facts(event).length;

async function stop(manager: Manager): Promise<void> {
  const ended = count(manager, 'ended');
  process.kill(Number(manager.facts('daemon.ready').at(-1)?.pid), 'SIGTERM');
  await until('the daemon to have ended', () => count(manager, 'ended') > ended);
}

async function start(manager: Manager): Promise<void> {
  const ready = count(manager, 'daemon.ready');
  manager.start();
  await until('the daemon to be ready', () => {
    expect(manager.complaints()).toBe('');
    return count(manager, 'daemon.ready') > ready;
  });
}

describe.skipIf(!have('systemd-socket-activate'))('a socket that systemd passes', () => {
  beforeAll(async () => {
    port = await freePort();
    const network = { kind: 'peppol', country: 'SE', accessPoint: 'http', url: 'http://127.0.0.1:9', token: { env: 'TOKEN' } };
    site = await startDaemon({
      accounts: SELLER_AND_BUYER,
      config: { core: { listen: `127.0.0.1:${port}`, network } },
      env: { TOKEN: AP_TOKEN },
    });
    await site.stop();
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('holds those who ask while no daemon runs, until one answers', async () => {
    const manager = await startManager();
    const first = verify();
    await start(manager);
    expect(await first).toBe('200 true');
    expect(manager.facts('core.started')[0]).toMatchObject({ url: `http://127.0.0.1:${port}`, socket: 'passed' });
    await stop(manager);
    const waiting = [verify(), verify()];
    await calm();
    await start(manager);
    expect(await Promise.all(waiting)).toEqual(['200 true', '200 true']);
    await stop(manager);
    expect(manager.facts('ended').map(({ status }) => status)).toEqual([0, 0]);
  });

  it(`refuses none of ${ASKERS} who ask all the time, over ${RESTARTS} restarts`, async () => {
    const manager = await startManager();
    const verdicts = new Map<string, number>();
    let isOver = false;
    const askers = Array.from({ length: ASKERS }, async () => {
      while (!isOver) {
        const verdict = await verify();
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      }
    });
    await start(manager);
    for (let restart = 0; restart < RESTARTS; restart++) {
      const before = verdicts.get('200 true') ?? 0;
      await until('documents to be verified', () => (verdicts.get('200 true') ?? 0) > before + ASKERS);
      await stop(manager);
      await start(manager);
    }
    isOver = true;
    await Promise.all(askers);
    expect([...verdicts.keys()]).toEqual(['200 true']);
  });

  it.each([
    [
      'at another address than that of the settings',
      'core',
      'all',
      { listen: '127.0.0.1:9' },
      /systemd passes a socket on 127\.0\.0\.1:\d+, and core\.listen is 127\.0\.0\.1:9: /,
    ],
    [
      'where the settings have a path',
      'core',
      'all',
      { listen: 'unix:/run/dropgate/core' },
      /and core\.listen is unix:\/run\/dropgate\/core: /,
    ],
    ['of another name', 'other', 'all', {}, /FileDescriptorName=core/],
    ['to a gateway without a core', 'core', 'gateway', {}, /role gateway has none/],
  ])('is refused %s', async (_, name, role, core, sentence) => {
    const settings = readFileSync(site.configFile, 'utf8');
    onTestFinished(() => writeFileSync(site.configFile, settings));
    const config = parse(settings);
    const service = role === 'gateway' ? { service: { url: 'http://127.0.0.1:9' } } : {};
    writeFileSync(site.configFile, stringify({ ...config, ...service, core: { ...config.core, ...core } }));
    const manager = await startManager(name, role);
    void verify();
    manager.start();
    await until('the end', () => count(manager, 'ended') === 1);
    expect(manager.facts('ended')[0]).toMatchObject({ status: 64 });
    expect(manager.complaints()).toMatch(sentence);
  });
});

// `dropgate health`: asks the daemon's own listeners whether they answer, for a container's health check.
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, isIP } from 'node:net';
import { AppError } from '#domain/error.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Config } from '#runtime/config/config.ts';
import { type ListenerSettings, listenersOf } from '#runtime/config/listeners.ts';
import { isWithin, networksOf } from '#runtime/networks.ts';
import type { AddCommand } from './commands.ts';
import { databaseServer } from './ledgers.ts';
import { type ConfigOptions, configOf } from './options.ts';

const ANSWER_MS_MAX = 4_000;

export const addHealth: AddCommand = (commands) => {
  commands.configured('health', 'ask the running daemon whether it answers').action(async (options: ConfigOptions) => {
    const { config } = configOf(options, 'file or ledgers');
    const { role, sftp, core } = config;
    const gates = role === 'core' ? [] : listenersOf(sftp).map((each) => ['SFTP', each.listen, () => greeting(each)] as const);
    const cores = role === 'gateway' ? [] : [['the core', core.listen, () => healthOf(core)] as const];
    const answered: string[] = [];
    for (const [part, listen, ask] of [...gates, ...cores]) {
      const place = `${part} on ${'socket' in listen ? listen.socket : `${listen.host}:${listen.port}`}`;
      await check(place, ask());
      answered.push(place);
    }
    const server = databaseServer(config);
    if (server && role !== 'core') await (await openGatewayLedger(config.data, server)).close();
    commands.terminal.print(`The daemon answers: ${answered.join(', ')}.`);
  });
};

/** Resolves when the server names itself, as every SSH server does (RFC 4253 §4.2). */
function greeting({ listen, proxies }: Pick<ListenerSettings, 'listen' | 'proxies'>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const host = reachable(listen.host);
    const socket = connect({ host, port: listen.port, timeout: ANSWER_MS_MAX });
    // Where a proxy of this machine is believed, this command is taken for it.
    if (isIP(host) !== 0 && isWithin(networksOf(proxies || []), host)) socket.write('PROXY UNKNOWN\r\n');
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString('latin1').startsWith('SSH-2.0-'));
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('close', () => resolve(false));
  });
}

/** It is this machine's own listener, so the name in its certificate does not matter. */
function healthOf({ listen, tls }: Config['core']): Promise<boolean> {
  const where = 'socket' in listen ? { socketPath: listen.socket } : { host: reachable(listen.host), port: listen.port };
  const options = { ...where, path: '/health', timeout: ANSWER_MS_MAX };
  return new Promise((resolve, reject) => {
    const request = tls ? requestTls({ ...options, rejectUnauthorized: false }) : requestPlain(options);
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', reject);
    request.end();
  });
}

/** An address that means 'all of them' is asked on loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

async function check(place: string, answer: Promise<boolean>): Promise<void> {
  const isWell = await answer.catch((error: unknown) => {
    throw new AppError('internal', `The daemon does not answer: ${place} (${error instanceof Error ? error.message : 'no reason given'}).`);
  });
  if (!isWell) throw new AppError('internal', `The daemon does not answer as it should: ${place}.`);
}

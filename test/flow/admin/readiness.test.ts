// /livez and /readyz: a daemon that is ready, one whose parts do not answer, one that stops.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminListener, startAdminListener } from '#admin/listener.ts';
import { type Probe, probesOf } from '#admin/probes.ts';
import { Readiness } from '#admin/readiness.ts';
import { readConfig } from '#runtime/config/config.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../support/clock.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestServer, type TestServer } from '../../support/sftp-server.ts';
import { LISTENER } from '../../support/sftp-settings.ts';

const clock = manualClock();
let server: TestServer;
let listener: AdminListener | undefined;
beforeEach(async () => {
  server = await startTestServer({});
});
afterEach(async () => {
  await listener?.close();
  await server[Symbol.asyncDispose]();
});

/** A gateway with these listeners; of a port alone, on 127.0.0.1. */
function gateway(...listeners: readonly (number | typeof LISTENER)[]): Probe[] {
  const [first = LISTENER, ...moreListeners] = listeners.map((each) =>
    typeof each === 'number' ? { ...LISTENER, listen: { host: '127.0.0.1', port: each } } : each,
  );
  const text = 'role: gateway\nservice: {url: "http://127.0.0.1:9"}';
  const { config } = readConfig({ name: 'test.yaml', text, sources: { folder: '/', file: () => '', environment: {} } });
  return probesOf({ ...config, sftp: { ...config.sftp, ...first, moreListeners } });
}

async function listen(probes: readonly Probe[]): Promise<Readiness> {
  const readiness = new Readiness(probes, clock);
  const settings = { listen: { host: '127.0.0.1', port: 0 }, tls: null };
  listener = await startAdminListener({ settings, readiness, metrics: async () => '', page: null, log: openLog('silent') });
  return readiness;
}

async function ask(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(`${listener?.url}${path}`);
  return { status: answer.status, body: await answer.json() };
}

describe('the admin listener', () => {
  it('says that all parts answer', async () => {
    await listen(gateway(server.port));
    expect(await ask('/livez')).toEqual({ status: 200, body: { status: 'alive' } });
    const checks = [{ check: `SFTP on 127.0.0.1:${server.port}`, reason: null }];
    expect(await ask('/readyz')).toEqual({ status: 200, body: { status: 'ready', checks } });
  });

  it('says which part does not answer, and why, and that it does again', async () => {
    const port = await freePort();
    await listen(gateway(server.port, port));
    const refused = { check: `SFTP on 127.0.0.1:${port}`, reason: `connect ECONNREFUSED 127.0.0.1:${port}` };
    const checks = [{ check: `SFTP on 127.0.0.1:${server.port}`, reason: null }, refused];
    expect(await ask('/readyz')).toEqual({ status: 503, body: { status: 'not ready', checks } });
    await using _again = await startTestServer({ more: [{ ...LISTENER, listen: { host: '127.0.0.1', port } }] });
    // Of the same second it says the same: a look costs each part a connection.
    expect(await ask('/readyz')).toMatchObject({ status: 503 });
    clock.advance(1_000);
    expect(await ask('/readyz')).toMatchObject({ status: 200 });
  });

  // A connection to 127.0.0.2 comes from 127.0.0.1.
  it.each(['127.0.0.1', '127.0.0.2'])('is greeted at another address of loopback, where the proxy %s is believed', async (proxy) => {
    const also = { ...LISTENER, listen: { host: '127.0.0.2', port: await freePort() }, proxies: [proxy] };
    await using _server = await startTestServer({ more: [also] });
    await listen(gateway(also));
    const checks = [{ check: `SFTP on 127.0.0.2:${also.listen.port}`, reason: null }];
    expect(await ask('/readyz')).toEqual({ status: 200, body: { status: 'ready', checks } });
  });

  it('says no while the daemon stops, and lives on', async () => {
    const readiness = await listen(gateway(server.port));
    readiness.stop();
    expect(await ask('/readyz')).toEqual({
      status: 503,
      body: { status: 'not ready', checks: [{ check: 'daemon', reason: 'it is stopping' }] },
    });
    expect(await ask('/livez')).toMatchObject({ status: 200 });
  });

  it('has nothing else, and changes nothing', async () => {
    await listen([]);
    expect(await ask('/')).toMatchObject({ status: 404 });
    const posted = await fetch(`${listener?.url}/readyz`, { method: 'POST' });
    expect(posted.status).toBe(404);
  });
});

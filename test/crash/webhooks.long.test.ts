// Kills the daemon (SIGKILL) at random moments while webhooks are delivered, starts it again each time, and counts in the end: every
// event has arrived, and what came twice came under the same id. DROPGATE_KILL_SEED repeats a run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { authority } from '../support/authority.ts';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { randomOf } from '../support/random.ts';
import { type Hit, type Reply, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const SEED = Number(process.env.DROPGATE_KILL_SEED ?? Date.now() % 1_000_000);
const DOCUMENTS = 60;
const KILLS = 6;
/** An event whose delivery fails twice waits for five minutes. */
const SETTLED_WITHIN_MS = 600_000;

it(`no event is lost, or comes under two ids, though the daemon is killed while it delivers (seed ${SEED})`, async () => {
  const random = randomOf(SEED);
  const failed = new Set<unknown>();
  const taken: Hit[] = [];
  let kills = 0;
  // Each takes a moment, so that kills come in the middle; what is not answered by then, or fails as each tenth event does once, is not taken.
  await using receiver = await startReceiver(async (hit): Promise<Reply | 'reset'> => {
    const before = kills;
    await pause(random(0, 150));
    if (kills > before) return 'reset';
    if (failed.has(hit.json.id) || random(0, 9) > 0) {
      taken.push(hit);
      return { status: 204 };
    }
    failed.add(hit.json.id);
    return random(0, 1) === 0 ? 'reset' : { status: 500 };
  });
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-authority-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'ca.pem'), authority().ca);
  await using daemon = await startDaemon({
    accounts: SELLER_AND_BUYER,
    config: { core: { requests: 1_000_000 }, outbound: { allow: ['127.0.0.0/8'], ca: { file: join(folder, 'ca.pem') } } },
  });
  for (const accountRegNo of ['seller', 'buyer']) {
    const body = JSON.stringify({ url: `${receiver.url}/${accountRegNo}` });
    const { status } = await post(daemon, accountRegNo, `account/${accountRegNo}/webhook/configure`, { method: 'PUT', body });
    expect(status).toBe(200);
  }

  const sending = sendAll(daemon);
  while (kills < KILLS) {
    const goal = receiver.hits.length + random(1, 15);
    await Promise.race([sending, until('more deliveries', () => receiver.hits.length >= goal, SETTLED_WITHIN_MS)]);
    kills++;
    await daemon.kill();
    await daemon.start();
  }
  await sending;
  await until('nothing to wait', async () => (await states(daemon)).every(({ waiting }) => waiting === 0), SETTLED_WITHIN_MS);

  expect((await states(daemon)).map(({ dead, enabled }) => ({ dead, enabled }))).toEqual([
    { dead: 0, enabled: true },
    { dead: 0, enabled: true },
  ]);
  expect(receiver.hits.filter(({ json, headers }) => json.id !== headers['webhook-id'])).toEqual([]);
  const told = new Map<string, Set<unknown>>();
  for (const hit of receiver.hits) told.set(factOf(hit), (told.get(factOf(hit)) ?? new Set()).add(hit.json.id));
  const facts = new Set(taken.map(factOf));
  const renamed = [...told].filter(([, ids]) => ids.size > 1);
  const lost = [...told.keys()].filter((fact) => !facts.has(fact));
  console.log(
    `webhooks killed: ${kills} kills, ${DOCUMENTS} documents, ${told.size} events in ${receiver.hits.length} deliveries, ${lost.length} lost, ${renamed.length} under two ids, seed ${SEED}`,
  );
  expect(renamed).toEqual([]);
  expect(lost).toEqual([]);
  for (let at = 0; at < DOCUMENTS; at++) {
    for (const fact of [`/buyer new_document incoming ${at}`, `/seller new_document outgoing ${at}`]) {
      expect([...facts].filter((each) => each.startsWith(`${fact} `))).toHaveLength(1);
    }
  }
  expect(daemon.complaints()).toBe('');
});

/** What an event says, apart from its id. */
function factOf({ path, json: { type, data } }: Hit): string {
  return `${path} ${type} ${data.direction} ${data.documentId} ${data.status} ${data.integrationId}`;
}

/** As an ERP does: again, under the same key, until there is an answer. */
async function sendAll(daemon: TestDaemon): Promise<void> {
  for (let at = 0; at < DOCUMENTS; at++) {
    const headers = { 'idempotency-key': `document-${at}`, 'content-type': 'application/xml' };
    for (let status = 0; status !== 200; await pause(20)) {
      ({ status } = await post(daemon, 'seller', 'transaction/seller/invoices/outgoing', {
        body: Buffer.from(invoice({ id: `${at}` })).toString(),
        headers,
      }).catch(() => ({ status: 0 })));
    }
  }
}

interface Sent {
  readonly method?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function post(daemon: TestDaemon, accountRegNo: string, path: string, init: Sent): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...init.headers, authorization: `ApiKey ${daemon.apiKey(accountRegNo)}` };
  return fetch(`${daemon.coreUrl}/${path}`, { method: 'POST', ...init, headers });
}

async function states(daemon: TestDaemon): Promise<{ waiting: number; dead: number; enabled: boolean }[]> {
  return (await daemon.cli(['webhook', 'list', '--json'])).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

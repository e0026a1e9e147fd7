// Very many orders that are moved into `answer` at once, in one folder (DROPGATE_MOVED_ORDERS: 300; 100,000 in the whole): each is answered once, the order
// of another home has its turn between theirs, the event loop goes on, and memory stays bounded.
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it, onTestFinished } from 'vitest';
import { homeFolder, sealPath } from '#gateway/disk/paths.ts';
import { startGateway } from '#gateway/gateway.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { amountOf } from '../../../support/amounts.ts';
import { BUYER, documentOf, SELLER } from '../../../support/documents.ts';
import { obliging, type Script, startScriptedService } from '../../../support/scripted-service.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
import { until } from '../../../support/until.ts';
import { gatewayOptions } from '../../../support/world/gateway-settings.ts';
import { putReceivedOrders } from '../../../support/world/ledger-rows.ts';

const COUNT = amountOf('DROPGATE_MOVED_ORDERS');
const [BUSY, CALM] = ['busy', 'calm'] as const;
const ANSWER_MS_MAX = 200;
const TIMEOUT_MS = 120_000 + COUNT * ANSWER_MS_MAX;
/** Orders of one home that are answered before another has its turn. */
const TURN = 250;
/** Others may keep the processors busy for a moment, but not time and again. */
const LOOP_MS_MAX = { p99: 250, max: 5_000 };
const RSS_MB_MAX = 700;
const SEEDED = 1_000;
const TOLD_EVERY_MS = 30_000;

const template = Buffer.from(documentOf('Order', { id: 'NUMBER', sender: BUYER, receiver: SELLER })).toString();

function orderOf(documentId: string) {
  const bytes = Buffer.from(template.replaceAll('NUMBER', documentId));
  return { documentId, sender: BUYER, sha256: hash('sha256', bytes), bytes };
}

/** Two homes that answer, and the orders that they have received; those of the busy one lie in a folder elsewhere, which is the result. */
async function prepared(data: string): Promise<string> {
  const ledger = await openGatewayLedger(data);
  const on = { data, ledger, seal: await openSeal(sealPath(data), systemRandom), clock: systemClock };
  await addLogin(on, { login: 'erp', passwordHash: PASSWORD_HASH, publicKeys: [], rules: { answers: ['answer'] } });
  for (const home of [BUSY, CALM]) {
    await putAccount(on, home, 'key');
    await addLoginHome(on, 'erp', home, home);
  }
  const elsewhere = join(data, 'elsewhere');
  mkdirSync(elsewhere);
  for (let from = 0; from < COUNT; from += SEEDED) {
    const orders = Array.from({ length: Math.min(SEEDED, COUNT - from) }, (_, at) => orderOf(`PO-${from + at}`));
    await putReceivedOrders(ledger, BUSY, orders);
    for (const { documentId, bytes } of orders) writeFileSync(join(elsewhere, `${documentId}.xml`), bytes);
  }
  await putReceivedOrders(ledger, CALM, [orderOf('CALM')]);
  await ledger.close();
  return elsewhere;
}

it(`${COUNT} orders that are moved at once`, { timeout: TIMEOUT_MS }, async () => {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-moved-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const elsewhere = await prepared(data);

  const answers = new Map<string, number>();
  const script: Script = (seen) => {
    const order = seen.method === 'POST' && /<cac:OrderReference>\s*<cbc:ID>([^<]*)/.exec(seen.body.toString())?.[1];
    if (order) answers.set(order, (answers.get(order) ?? 0) + 1);
    return obliging(seen);
  };
  const service = await startScriptedService(script, { remembers: false });
  onTestFinished(() => service[Symbol.asyncDispose]());
  /** Homes in the order in which orders of theirs were answered, and what else was said. */
  const answered: string[] = [];
  const said: string[] = [];
  const log = openLog('info', {
    write(line) {
      const { level, event, home } = JSON.parse(line);
      if (event === 'order.answered') answered.push(home);
      else if (level !== 'info') said.push(line);
    },
  });
  const settings = { answerAfter: 1_000 };
  const gateway = await startGateway(gatewayOptions(data, systemClock, log, { url: service.url, settings, itemsMax: COUNT + 1 }));
  onTestFinished(() => gateway.close());
  const at = (home: string, ...below: string[]): string => join(homeFolder(data, home), 'answer', ...below);
  await until('the folders', () => existsSync(at(BUSY, 'query')) && existsSync(at(CALM, 'query')));

  const delay = monitorEventLoopDelay({ resolution: 5 });
  const [begunMs, rssBefore] = [performance.now(), process.memoryUsage().rss];
  let [rssMax, toldMs, loopMs] = [rssBefore, begunMs, 0];
  const tell = (): void => {
    toldMs = performance.now();
    loopMs = Math.max(loopMs, delay.max / 1e6);
    const [seconds, p99, mb] = [(toldMs - begunMs) / 1_000, delay.percentile(99) / 1e6, (rssMax - rssBefore) / 1e6];
    console.log(
      `moved: ${COUNT} orders, ${answers.size} answered after ${seconds.toFixed(0)} s, +${mb.toFixed(0)} MB, loop delay p99 ${p99.toFixed(0)} ms, max ${loopMs.toFixed(0)} ms`,
    );
  };
  delay.enable();
  writeFileSync(at(CALM, 'accept', 'other.xml'), orderOf('CALM').bytes);
  renameSync(elsewhere, at(BUSY, 'reject', 'too dear'));
  const isDone = (): boolean => {
    rssMax = Math.max(rssMax, process.memoryUsage().rss);
    if (performance.now() - toldMs > TOLD_EVERY_MS) tell();
    return answers.size === COUNT + 1;
  };
  await until('all answers', isDone, TIMEOUT_MS);
  tell();
  delay.disable();
  await until('the folder to go', () => readdirSync(at(BUSY, 'reject')).length === 0);
  expect([...answers.values()].filter((count) => count > 1)).toEqual([]);
  expect([answered.length, answered.indexOf(CALM)]).toEqual([COUNT + 1, expect.toSatisfy((turn: number) => turn >= 0 && turn <= TURN)]);
  expect(delay.percentile(99) / 1e6).toBeLessThan(LOOP_MS_MAX.p99);
  expect(loopMs).toBeLessThan(LOOP_MS_MAX.max);
  expect((rssMax - rssBefore) / 1e6).toBeLessThan(RSS_MB_MAX);
  expect(said).toEqual([]);
});

// The table of submit-and-poll.md, step 7: for every answer to a POST, what the item is, what it waits for, which receipts there are, and
// what is known of the attempt.
import { expect, it } from 'vitest';
import { readPause } from '#gateway/ledger/circuit-breaker.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { documentOf, invoice } from '../../../support/documents.ts';
import { created, type Reply, refusal, type Script, type ScriptedService } from '../../../support/scripted-service.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import { until } from '../../../support/until.ts';
import { scripted, standIn } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const ID = '6f1f2c1e-0000-4000-8000-000000000001';
const MINUTE = 60;
async function drop(script: Script, bytes: Uint8Array | string = invoice()): Promise<{ service: ScriptedService; world: World }> {
  const world = await startWorld(scripted(script));
  const { service } = world;
  await world.drop('acme-ab', 'i.xml', bytes);
  return { service, world };
}

interface Found {
  readonly state: string;
  /** Seconds until it is tried again. */
  readonly waits: number | null;
  readonly attempts: unknown[];
  readonly stages: string[];
  /** What pauses: nothing, the family, or the whole account. */
  readonly pauses: string;
}

async function look(world: World): Promise<Found> {
  const { clock } = world;
  const [item] = await world.items();
  const pause = await world.administer(({ ledger }) => readPause(ledger.read, 'acme-ab', 'Invoice', clock.now()));
  return {
    state: item?.state ?? '',
    waits: item?.state === 'pending' ? (item.nextAttemptAt - clock.now()) / 1_000 : null,
    attempts: await world.attempts(),
    stages: world.stages('acme-ab'),
    pauses: pause ? (pause.whole ? 'account' : 'family') : 'nothing',
  };
}

const DONE = (state: string, stage = state) => ({ state, waits: null, attempts: [stage], stages: [stage], pauses: 'nothing' });
const LATER = (outcome: string | null, waits: number, more: Partial<Found> = {}) => ({
  state: 'pending',
  waits,
  attempts: [outcome],
  stages: [],
  pauses: 'nothing',
  ...more,
});
const page = (status: number): Reply => ({ status, body: `<html><body>${status}</body></html>` });

const ROWS: readonly [name: string, answer: Reply, Partial<Found>][] = [
  ['200', created(ID), DONE('accepted')],
  ['200 with a body that cannot be read', FAULTS.unreadableAnswer.answers, LATER(null, 5)],
  ['200 with an integrationId that no index keeps', created('a'.repeat(5_000)), LATER(null, 5)],
  ['200 of a proxy', page(200), LATER(null, 5)],
  ['400 of the service', refusal(400, 'E_BAD_REQUEST'), DONE('refused')],
  ['400 in the odd envelope', { status: 400, body: { statusCode: 400, error: 'E_INVALID_PARAMETER', message: 'no' } }, DONE('refused')],
  ['400 of a type that nobody knows', refusal(400, 'E_SOMETHING'), LATER(null, 30 * MINUTE, { pauses: 'family' })],
  ['400 of a proxy', page(400), LATER(null, 30 * MINUTE, { pauses: 'family' })],
  ['302', page(302), LATER(null, 30 * MINUTE, { pauses: 'family' })],
  ['405', page(405), LATER(null, 30 * MINUTE, { pauses: 'family' })],
  ['413 of a proxy', page(413), LATER(null, 30 * MINUTE, { pauses: 'family' })],
  ['422 E_VALIDATION', refusal(422, 'E_VALIDATION', { details: [] }), DONE('refused')],
  ['422 of a proxy', page(422), LATER(null, 30 * MINUTE, { pauses: 'family' })],
  ['401 again after the key was read again', refusal(401, 'E_UNAUTHORIZED_CLIENT'), LATER('paused', 5 * MINUTE, { pauses: 'account' })],
  ['401 of a proxy', page(401), LATER(null, 30 * MINUTE, { pauses: 'family' })],
  ['403', refusal(403, 'E_MISSING_PERMISSION'), LATER('paused', 15 * MINUTE, { pauses: 'family' })],
  ['404', refusal(404, 'E_MISSING'), LATER('paused', 15 * MINUTE, { pauses: 'family' })],
  ['501', refusal(501, 'E_NOT_IMPLEMENTED'), LATER('paused', 15 * MINUTE, { pauses: 'family' })],
  ['409 for a key in flight', refusal(409, 'E_CONFLICT', { reason: 'idempotency_in_flight', integrationId: ID }), LATER('in-flight', 2)],
  ['409 without an integrationId', refusal(409, 'E_CONFLICT'), LATER('in-flight', 2)],
  [
    '409 with an integrationId that no index keeps',
    refusal(409, 'E_CONFLICT', { integrationId: 'a'.repeat(5_000) }),
    LATER('in-flight', 2),
  ],
  ['409 for a document that the service does not show', refusal(409, 'E_CONFLICT', { integrationId: ID }), LATER('unseen', 5)],
  [
    '422 E_PEPPOL_PARTICIPANT_SMP_LOOKUP',
    refusal(422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP'),
    LATER('no-receiver', 5 * MINUTE, { stages: ['delayed'] }),
  ],
  ['429 with seconds', FAULTS.slowDown.answers, LATER('', 7, { attempts: [] })],
  [
    '429 with a date',
    { ...refusal(429, 'E_RATE_LIMITED'), headers: { 'retry-after': 'Sat, 21 Nov 2026 10:02:00 GMT' } },
    LATER('', 120, { attempts: [] }),
  ],
  ['429 with its body only', refusal(429, 'E_RATE_LIMITED', { retryAfterSeconds: 11 }), LATER('', 11, { attempts: [] })],
  ['429 that says nothing', refusal(429, 'E_RATE_LIMITED'), LATER('', 60, { attempts: [] })],
  ['500 of the service', refusal(500, 'E_INTERNAL_PROXY_ERROR'), LATER(null, 5)],
  ['502', page(502), LATER(null, 5)],
  ['503', page(503), LATER(null, 5)],
  ['a reset connection', 'reset', LATER(null, 5)],
];

it.each(ROWS)('%s', async (_, answer, expected) => {
  const { service, world } = await drop(({ method }) => (method === 'POST' ? answer : { status: 204 }));
  await until('the answer to be seen to', () => world.log.some((line) => /submit.postponed|item\.\w+"/.test(line)));
  await until('the receipts', async () => (await look(world)).stages.length === (expected.stages?.length ?? 0));
  const { waits, ...found } = await look(world);
  const { waits: wanted = null, ...rest } = expected;
  expect(found).toEqual(rest);
  // A tenth at random keeps many from coming back at once.
  if (wanted === null) expect(waits).toBeNull();
  else {
    expect(waits).toBeGreaterThanOrEqual(wanted);
    expect(waits).toBeLessThanOrEqual(wanted * 1.1 + 0.001);
  }
  expect(service.creates()).toHaveLength(1);
  expect(world.spooled('acme-ab')).toHaveLength(expected.state === 'pending' ? 1 : 0);
});

it.each([
  ['of another key of the account', 'key-2'],
  ['of the same key', 'key'],
])('401 with the key read again: %s', async (_, renewed) => {
  const { service, world } = await drop(({ method, headers }) => {
    if (method !== 'POST') return { status: 204 };
    return headers.authorization === 'ApiKey key-2' ? created(ID) : refusal(401, 'E_UNAUTHORIZED_CLIENT');
  });
  await until('the pause', () => world.logged('submit.paused') > 0);
  await world.addAccount('acme-ab', renewed);
  world.clock.advance(6 * 60_000);
  if (renewed === 'key') await until('the next try', () => service.creates().length === 2);
  else await world.receipt('acme-ab', 'i.xml', 'accepted');
});

it.each([
  ['a document goes out', 'POST', ['key']],
  ['it is compared with what the service has', 'GET', ['key']],
  ['a document goes out, and again when it is sent once more', 'POST', ['key', 'key-2']],
])('a key that is replaced while %s is read again before the account pauses', async (_, method, replaced) => {
  let isThere = method === 'GET';
  const world: World = await startWorld(
    scripted(async (seen) => {
      const key = String(seen.headers.authorization).replace('ApiKey ', '');
      if (seen.method === 'POST' && isThere) {
        isThere = false;
        return refusal(409, 'E_CONFLICT', { integrationId: ID });
      }
      const isIts = seen.method === method && seen.path.endsWith('/outgoing');
      if (!isIts || !replaced.includes(key)) return seen.method === 'POST' ? created(ID) : { status: 204 };
      await world.addAccount('acme-ab', `key-${replaced.indexOf(key) + 2}`);
      return refusal(401, 'E_UNAUTHORIZED_CLIENT');
    }),
  );
  await world.drop('acme-ab', 'i.xml', invoice());
  await world.inTime('the document to be accepted', async () => (await look(world)).state === 'accepted');
  expect(world.logged('submit.paused')).toBe(0);
});

it('a pause is told once, however many documents it holds back', async () => {
  const { service, world } = await drop(({ method }) => (method === 'POST' ? refusal(403, 'E_MISSING_PERMISSION') : { status: 204 }));
  for (let index = 0; index < 5; index++) await world.drop('acme-ab', `${index}.xml`, invoice({ id: `P-${index}` }));
  await until('the pause', () => world.logged('submit.paused') > 0);
  await until('the others to wait', async () => (await look(world)).pauses !== 'nothing');
  world.clock.advance(16 * 60_000);
  await until('more tries', () => service.creates().length >= 2);
  expect(world.logged('submit.paused')).toBeLessThanOrEqual(service.creates().length);
});

it('of a key that is refused for long the last fifty attempts are kept', async () => {
  let isRefused = true;
  const { world } = await drop(({ method }) => {
    if (method !== 'POST') return { status: 204 };
    return isRefused ? refusal(401, 'E_UNAUTHORIZED_CLIENT') : created(ID);
  });
  await world.inTime('more attempts than are kept', () => world.logged('submit.postponed') > 55, 5 * 60_000);
  expect((await world.attempts()).length).toBe(50);
  isRefused = false;
  await world.inTime('the document to be accepted', async () => (await look(world)).state === 'accepted');
});

it('a key in flight is waited for ten minutes, and then the service is asked what it has', async () => {
  const world = await startWorld(standIn());
  const { service, clock } = world;
  service.manners.fault = ({ method }) => (method === 'POST' ? { does: false, answers: refusal(409, 'E_CONFLICT') } : undefined);
  const beganMs = clock.now();
  await world.drop('acme-ab', 'i.xml', invoice());
  const looked = (): boolean => service.requests.some(({ query }) => query.get('documentId') === '1001');
  while (!looked() && clock.now() - beganMs < 20 * 60_000) await world.pass(2_500);
  expect(clock.now() - beganMs).toBeGreaterThan(9 * 60_000);
  expect(clock.now() - beganMs).toBeLessThan(13 * 60_000);
  expect((await world.attempts()).filter((outcome) => outcome === 'in-flight')).toHaveLength(15);
});

it.each([
  ['only additions, after a lost answer: adopted', '<cbc:Note>added by the service</cbc:Note>', 'reset' as const, 'accepted'],
  ['only additions, and every answer was known: refused', '<cbc:Note>added by the service</cbc:Note>', null, 'refused'],
])('409 with %s', async (_, added, first, stage) => {
  const bytes = Buffer.from(invoice());
  const theirs = bytes.toString().replace('<cbc:DocumentCurrencyCode>', `${added}<cbc:DocumentCurrencyCode>`);
  const answers: Reply[] = first === null ? [] : [first];
  const { world } = await drop(({ method }) =>
    method === 'POST'
      ? (answers.shift() ?? refusal(409, 'E_CONFLICT', { integrationId: ID }))
      : { status: 200, headers: { integrationid: ID }, body: theirs },
  );
  if (first !== null) {
    await until('the first try', () => world.logged('submit.postponed') > 0);
    world.clock.advance(6_000);
  }
  expect((await world.receipt('acme-ab', 'i.xml', stage)).integrationId).toBe(ID);
});

it('409 with other content after a lost answer is held, for a person to decide', async () => {
  const answers: Reply[] = ['reset'];
  const { world } = await drop(({ method }) =>
    method === 'POST'
      ? (answers.shift() ?? refusal(409, 'E_CONFLICT', { integrationId: ID }))
      : { status: 200, headers: { integrationid: ID }, body: Buffer.from(invoice({ note: 'quite another' })) },
  );
  await until('the first try', () => world.logged('submit.postponed') > 0);
  world.clock.advance(6_000);
  expect((await world.receipt('acme-ab', 'i.xml', 'held')).action).toBe('wait');
  expect((await look(world)).state).toBe('held');
});

it('409 with what another file brought there, after a lost answer, is refused: there is nothing to decide', async () => {
  const theirs = invoice({ note: 'quite another' });
  const answers: Reply[] = [created(ID), 'reset'];
  const { world } = await drop(
    ({ method }) =>
      method === 'POST'
        ? (answers.shift() ?? refusal(409, 'E_CONFLICT', { integrationId: ID }))
        : { status: 200, headers: { integrationid: ID }, body: Buffer.from(theirs) },
    theirs,
  );
  await world.receipt('acme-ab', 'i.xml', 'accepted');
  await world.drop('acme-ab', 'again.xml', invoice());
  await until('the first try', () => world.logged('submit.postponed') > 0);
  world.clock.advance(6_000);
  expect(await world.receipt('acme-ab', 'again.xml', 'refused')).toMatchObject({ code: 'number-taken', integrationId: ID });
});

it.each([
  ['503', { status: 503 }, 'pending', ['no answer', 'unseen'], 5],
  // What is refused is the question, not the document.
  ['400', refusal(400, 'E_BAD_REQUEST'), 'pending', ['no answer', 'unseen'], 5],
  ['422', refusal(422, 'E_VALIDATION', { details: [] }), 'pending', ['no answer', 'unseen'], 5],
  ['422 for want of a receiver', refusal(422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP'), 'pending', ['no answer', 'unseen'], 5],
  ['409', refusal(409, 'E_CONFLICT', { integrationId: ID }), 'pending', ['no answer', 'unseen'], 5],
  ['200 that is no list', created(ID), 'pending', ['no answer', 'unseen'], 5],
  ['404', refusal(404, 'E_MISSING'), 'pending', ['no answer', 'paused'], 15 * MINUTE],
  ['a proxy', page(400), 'pending', ['no answer', 'paused'], 15 * MINUTE],
  ['429', FAULTS.slowDown.answers, 'pending', ['no answer'], 7],
  ['403', refusal(403, 'E_MISSING_PERMISSION'), 'pending', ['no answer', 'paused'], 15 * MINUTE],
] as const)('the service cannot tell what it has (%s): nothing is posted', async (_, answer, state, attempts, waits) => {
  const posts: Reply[] = ['reset'];
  const { service, world } = await drop(({ method, query }) => {
    if (method === 'POST') return posts.shift() ?? created(ID);
    return query.get('documentId') === null ? { status: 204 } : answer;
  });
  await until('the first try', () => world.logged('submit.postponed') > 0);
  await world.restart();
  const before = world.log.length;
  world.clock.advance(6_000);
  await until('the look', () => world.log.slice(before).some((line) => line.includes('submit.postponed')));
  const found = await look(world);
  expect([found.state, found.attempts]).toEqual([state, attempts]);
  expect(found.waits).toBeGreaterThanOrEqual(waits);
  expect(service.creates()).toHaveLength(1);
});

it('a look takes smaller pages where the service refuses a large one, and ends where a service repeats itself', async () => {
  const world = await startWorld(standIn());
  const { service, clock } = world;
  Object.assign(service.manners, { limitMax: 3, ignoresOffset: true, refusesDuplicates: false });
  service.manners.fault = ({ method }) => (method === 'POST' ? FAULTS.lostAnswer : undefined);
  await world.drop('acme-ab', 'i.xml', invoice({ id: 'L' }));
  await until('the first try', async () => (await world.items())[0]?.reason !== null);
  await world.restart();
  service.manners.fault = () => undefined;
  clock.advance(6_000);
  await world.receipt('acme-ab', 'i.xml', 'accepted');
  expect(service.tally('acme-ab', ['L'])).toEqual({ lost: [], twice: [] });
  expect(service.requests.filter(({ query }) => query.get('documentId') === 'L').map(({ query }) => query.get('limit'))).toEqual([
    '100',
    '50',
    '20',
    '3',
    '3',
  ]);
});

it('the pause of a refused key ends with the next key', async () => {
  const script: Script = ({ method, headers }) => {
    if (method !== 'POST') return { status: 204 };
    return headers.authorization === 'ApiKey key-2' ? created(ID) : refusal(401, 'E_UNAUTHORIZED_CLIENT');
  };
  const { world } = await drop(script, invoice({ id: 'I-1' }));
  await until('the pause', () => world.logged('submit.paused') > 0);
  // One that was not tried, because of the pause, waits for its end as well.
  await world.drop('acme-ab', 'other.xml', invoice({ id: 'I-2' }));
  const begunMs = world.clock.now();
  await world.administer((on) => putAccount(on, 'acme-ab', 'key-2'));
  const accepted = (): boolean => world.files('acme-ab', 'receipts').filter((name) => name.includes('.accepted.')).length === 2;
  await world.inTime('both documents', accepted);
  expect(world.clock.now() - begunMs).toBeLessThan(MINUTE * 1_000);
});

it('a document that is dropped again for another receiver ends the one whose receiver is looked for', async () => {
  const wrong = '0088:7300010000018';
  const script: Script = ({ method, body }) => {
    if (method !== 'POST') return { status: 204 };
    return body.includes(wrong.slice(5)) ? refusal(422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP') : created();
  };
  const { world } = await drop(script, invoice({ id: 'I-1', receiver: wrong }));
  const receipts = (): string[] => world.stages('acme-ab');
  await until('the first', () => receipts().includes('delayed'));
  await world.drop('acme-ab', 'again.xml', invoice({ id: 'I-1' }));
  await until('both ends', () => receipts().length === 3);
  expect(receipts().sort()).toEqual(['accepted', 'cancelled', 'delayed']);
  const name = world.files('acme-ab', 'receipts').find((each) => each.includes('.cancelled.')) ?? '';
  expect(JSON.parse(world.read('acme-ab', 'receipts', name).toString()).message).toContain(`so ${wrong} is looked for no more`);
});

it('a catalogue may go to several receivers: the next one does not end the one whose receiver is looked for', async () => {
  const wrong = '0088:7300010000018';
  const catalogue = (receiver?: string): Uint8Array => documentOf('Catalogue', { id: 'C-1', ...(receiver && { receiver }) });
  const script: Script = ({ method, body }) => {
    if (method !== 'POST') return { status: 204 };
    return body.includes(wrong.slice(5)) ? refusal(422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP') : created();
  };
  const { world } = await drop(script, catalogue(wrong));
  const told = (): string[] => world.stages('acme-ab');
  await until('the first', () => told().includes('delayed'));
  await world.drop('acme-ab', 'also.xml', catalogue());
  await world.receipt('acme-ab', 'also.xml', 'accepted');
  await until('the spool to have the first one only', () => world.spooled('acme-ab').length === 1);
  expect(told().sort()).toEqual(['accepted', 'delayed']);
});

// What an item becomes, for every answer that a service can give (submit-and-poll.md, 'Submit').
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { LONG_MS } from '../../../support/patience.ts';
import { created, obliging, refusal, type Script, type ScriptedService } from '../../../support/scripted-service.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import { until } from '../../../support/until.ts';
import { scripted, standIn } from '../../../support/world/services.ts';
import { startWorld, type World, type WorldOptions } from '../../../support/world/world.ts';

const ID = '6f1f2c1e-0000-4000-8000-000000000001';

async function start(script: Script = obliging, options: Partial<WorldOptions> = {}): Promise<{ service: ScriptedService; world: World }> {
  const world = await startWorld(scripted(script), { accounts: { 'acme-ab': 'key-of-acme', 'beta-as': 'key-of-beta' }, ...options });
  const { service } = world;
  return { service, world };
}

const onPost =
  (...answers: ReturnType<Script>[]): Script =>
  (seen) =>
    seen.method === 'POST' ? (answers.length > 1 ? (answers.shift() ?? created()) : (answers[0] ?? created())) : { status: 204 };

describe('an accepted document', () => {
  it("S040 is sent byte for byte, with the account's key and an idempotency key, and its receipt and original are published", async () => {
    const { service, world } = await start(onPost(created(ID)));
    const bytes = invoice({ id: 'A-1' });
    const item = await world.drop('acme-ab', 'invoice.xml', bytes);
    const receipt = await world.receipt('acme-ab', 'invoice.xml', 'accepted');
    expect(receipt).toMatchObject({
      receipt: 1,
      stage: 'accepted',
      action: 'none',
      file: 'invoice.xml',
      accountRegNo: 'acme-ab',
      family: 'Invoice',
      documentId: 'A-1',
      sender: SELLER,
      receiver: BUYER,
      integrationId: ID,
      findings: [],
      error: null,
    });
    const [post] = service.creates();
    expect(post?.path).toBe('/transaction/acme-ab/invoices/outgoing');
    expect(post?.headers.authorization).toBe('ApiKey key-of-acme');
    expect(post?.headers['idempotency-key']).toMatch(/^dg1\.[0-9A-Z]{52}$/);
    expect(post?.body.equals(bytes)).toBe(true);
    const original = `invoice.${item.slice(-8).toLowerCase()}.xml`;
    await until('the original in accepted/', () => world.files('acme-ab', 'accepted').includes(original));
    expect(world.read('acme-ab', 'accepted', original).equals(Buffer.from(bytes))).toBe(true);
    expect(world.spooled('acme-ab')).toEqual([]);
  });

  it('dropped again with the same bytes is a duplicate, and is not sent again', async () => {
    const { service, world } = await start();
    await world.drop('acme-ab', 'first.xml', invoice());
    await world.receipt('acme-ab', 'first.xml', 'accepted');
    await world.drop('acme-ab', 'second.xml', invoice());
    const receipt = await world.receipt('acme-ab', 'second.xml', 'duplicate');
    expect(receipt.action).toBe('none');
    expect(service.creates()).toHaveLength(1);
  });

  it('dropped again while the first is under way is sent once, and the second is a duplicate of the first', async () => {
    const answer = Promise.withResolvers<void>();
    const { service, world } = await start(async (seen) => {
      if (seen.method !== 'POST') return { status: 204 };
      await answer.promise;
      return created(ID);
    });
    await world.drop('acme-ab', 'one.xml', invoice());
    await until('the first to be sent', () => service.creates().length === 1);
    await world.drop('acme-ab', 'two.xml', invoice());
    answer.resolve();
    await world.receipt('acme-ab', 'one.xml', 'accepted');
    await world.receipt('acme-ab', 'two.xml', 'duplicate');
    expect(service.creates()).toHaveLength(1);
  });

  it('dropped in inbox/overwrite is sent with overwrite=true and a key of its own, whatever was sent before', async () => {
    const { service, world } = await start();
    await world.drop('acme-ab', 'first.xml', invoice());
    await world.receipt('acme-ab', 'first.xml', 'accepted');
    await world.drop('acme-ab', 'again.xml', invoice(), 'overwrite');
    await world.receipt('acme-ab', 'again.xml', 'accepted');
    const [first, second] = service.creates();
    expect(second?.query.get('overwrite')).toBe('true');
    expect(second?.headers['idempotency-key']).not.toBe(first?.headers['idempotency-key']);
  });

  it('that was replaced since, and comes again, is not taken for the answer of that time', async () => {
    const world = await startWorld(standIn());
    const { service } = world;
    const [before, since] = [invoice({ note: 'before' }), invoice({ note: 'since' })];
    await world.drop('acme-ab', 'before.xml', before);
    await world.receipt('acme-ab', 'before.xml', 'accepted');
    await world.drop('acme-ab', 'since.xml', since, 'overwrite');
    await world.receipt('acme-ab', 'since.xml', 'accepted');
    await world.drop('acme-ab', 'again.xml', before);
    expect((await world.receipt('acme-ab', 'again.xml', 'refused')).message).toContain('with other content');
    expect(service.holding.all.map(({ bytes }) => Buffer.from(bytes).equals(since))).toEqual([true]);
  });

  it('is sent in the order of arrival to one receiver', async () => {
    const { service, world } = await start();
    const ids = Array.from({ length: 20 }, (_, index) => `N-${index}`);
    for (const id of ids) await world.drop('acme-ab', `${id}.xml`, invoice({ id }));
    await until('20 creates', () => service.creates().length === 20);
    expect(service.creates().map(({ body }) => /<cbc:ID>(N-\d+)</.exec(body.toString())?.[1])).toEqual(ids);
  });
});

describe('a refused document', () => {
  it.each([
    ['broken XML', Buffer.from(invoice()).toString().replace('</cbc:ID>', ''), /line \d/i],
    ['an unknown root', '<html><body/></html>', /html|web page/i],
    ['nothing', '', /empty/i],
    ['a PDF', '%PDF-1.7\n', /PDF/],
  ])('%s costs no request, and its receipt says what to do', async (_, bytes, says) => {
    const { service, world } = await start();
    await world.drop('acme-ab', 'bad.xml', bytes);
    const receipt = await world.receipt('acme-ab', 'bad.xml', 'refused');
    expect(receipt.action).toBe('fix');
    expect(receipt.message).toMatch(says);
    await until('the original in refused/', () => world.files('acme-ab', 'refused').length === 1);
    expect(service.creates()).toHaveLength(0);
    expect(world.spooled('acme-ab')).toEqual([]);
  });

  it('carries every detail that the service gave', async () => {
    const details = [{ rule: 'BR-02', severity: 'fatal', message: 'An invoice has a number.' }];
    const { world } = await start(onPost(refusal(422, 'E_VALIDATION', { details })));
    await world.drop('acme-ab', 'i.xml', invoice());
    const receipt = await world.receipt('acme-ab', 'i.xml', 'refused');
    expect(receipt).toMatchObject({ action: 'fix', findings: details, error: { status: 422, type: 'E_VALIDATION' } });
  });

  it('repaired under the same number is sent', async () => {
    const { world } = await start(onPost(refusal(422, 'E_VALIDATION'), created()));
    await world.drop('acme-ab', 'i.xml', invoice({ note: 'wrong' }));
    await world.receipt('acme-ab', 'i.xml', 'refused');
    await world.drop('acme-ab', 'i2.xml', invoice({ note: 'right' }));
    await world.receipt('acme-ab', 'i2.xml', 'accepted');
  });
});

it('bytes that have changed in the spool are never sent: the item is held', async () => {
  const { service, world } = await start(onPost({ status: 503 }));
  await world.drop('acme-ab', 'i.xml', invoice());
  await until('the first try', () => world.logged('submit.postponed') > 0);
  const [file = ''] = world.spooled('acme-ab');
  writeFileSync(join(world.data, 'spool', 'acme-ab', file), invoice({ note: 'tampered' }));
  world.clock.advance(6_000);
  const receipt = await world.receipt('acme-ab', 'i.xml', 'held');
  expect(receipt).toMatchObject({ action: 'wait', code: 'bytes-changed' });
  expect(service.creates()).toHaveLength(1);
  expect(world.spooled('acme-ab')).toEqual([file]);
});

describe('a file that is waiting in the spool', () => {
  const spoolOf = (world: World): string => join(world.data, 'spool', 'acme-ab', world.spooled('acme-ab')[0] ?? '');

  /** It was tried once, and its service is away. */
  async function waiting(): Promise<World> {
    const { world } = await start(onPost({ status: 503 }));
    // The first pages of its lists have come: afterwards such an answer would let go what waits.
    await world.pass(1);
    await world.drop('acme-ab', 'i.xml', invoice());
    await until('the first try', () => world.logged('submit.postponed') > 0);
    return world;
  }

  it('and is not there any more is held, and somebody is told', async () => {
    const world = await waiting();
    rmSync(spoolOf(world));
    world.clock.advance(2 * 60_000);
    expect(await world.receipt('acme-ab', 'i.xml', 'held')).toMatchObject({ action: 'wait', code: 'bytes-lost' });
  });

  it('and cannot be read is tried again, less and less often, and no attempts are counted that were none', async () => {
    const world = await waiting();
    const path = spoolOf(world);
    const bytes = readFileSync(path);
    rmSync(path);
    mkdirSync(path);
    const nextTry = async (): Promise<number> => (await world.items())[0]?.nextAttemptAt ?? 0;
    let dueMs = 10_000;
    for (const waitMs of [5_000, 15_000, 45_000, 120_000]) {
      world.clock.advance(dueMs);
      await until(`a wait of ${waitMs} ms`, async () => (await nextTry()) === world.clock.now() + waitMs);
      dueMs = waitMs;
    }
    expect(await world.attempts()).toHaveLength(1);
    rmdirSync(path);
    writeFileSync(path, bytes);
    world.clock.advance(dueMs);
    await until('the second try', () => world.logged('submit.postponed') === 2);
  });
});

describe('an outcome that is not known', () => {
  it.each([
    ['a lost answer', 'reset' as const],
    ['a 503', { status: 503, body: 'down' }],
    ['a 500 of the service', refusal(500, 'E_INTERNAL_PROXY_ERROR')],
    ['a 200 that cannot be read', { status: 200, body: 'OK' }],
  ])('%s is tried again with the same key, and never refused', async (_, answer) => {
    const { service, world } = await start(onPost(answer, created(ID)));
    await world.drop('acme-ab', 'i.xml', invoice());
    // Not in one step: it may be waiting for its turn when that has passed.
    await world.inTime('the document to be accepted', () => world.stages('acme-ab').includes('accepted'));
    const keys = service.creates().map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('after a restart is looked up before it is posted, and adopted when the service has it', async () => {
    const bytes = invoice({ id: 'L-1' });
    const stored: { present: boolean } = { present: false };
    const { service, world } = await start(({ method, query, headers }) => {
      if (method === 'POST') {
        stored.present = true;
        return 'reset';
      }
      if (!stored.present) return { status: 204 };
      if (query.get('integrationId') === ID && headers.accept === 'application/xml') {
        return { status: 200, headers: { integrationid: ID, 'content-type': 'application/xml' }, body: Buffer.from(bytes) };
      }
      return query.get('documentId') === 'L-1'
        ? { status: 200, body: { status: 'success', data: [{ Invoice: {}, integrationId: ID }] } }
        : { status: 204 };
    });
    await world.drop('acme-ab', 'i.xml', bytes);
    await until('the first try', () => world.logged('submit.postponed') > 0);
    await world.restart();
    world.clock.advance(6_000);
    const receipt = await world.receipt('acme-ab', 'i.xml', 'accepted');
    expect(receipt.integrationId).toBe(ID);
    expect(service.creates()).toHaveLength(1);
  });
});

describe('answers that refuse more than one document', () => {
  it("a proxy's 400 refuses nothing: the family pauses, and the document goes later", async () => {
    const { service, world } = await start(onPost({ status: 400, body: '<html>Bad Request</html>' }, created()));
    await world.drop('acme-ab', 'i.xml', invoice());
    await until('the pause', () => world.logged('submit.paused') > 0);
    expect(world.files('acme-ab', 'receipts')).toEqual([]);
    world.clock.advance(60_000);
    expect(service.creates()).toHaveLength(1);
    world.clock.advance(34 * 60_000);
    await world.receipt('acme-ab', 'i.xml', 'accepted');
  });

  // Sixty documents and eighty hours.
  it('one document that a proxy never lets pass is held after three days, and does not hold up the others again and again', {
    timeout: LONG_MS,
  }, async () => {
    const world = await startWorld(standIn());
    const { service } = world;
    service.manners.fault = ({ method, body }) => (method === 'POST' && body.includes('LARGE') ? FAULTS.proxyTooLarge : undefined);
    await world.drop('acme-ab', 'large.xml', invoice({ id: 'LARGE' }));
    for (let other = 0; other < 60; other++) {
      await world.drop(
        'acme-ab',
        `o-${other}.xml`,
        invoice({ id: `O-${other}`, receiver: `0088:735000000${String(other).padStart(4, '0')}` }),
      );
      await world.pass(60_000);
      // The first time nobody can know that it is this one.
      if (other > 20) expect(await world.count('accepted')).toBe(other + 1);
    }
    await world.pass(80 * 60 * 60_000, 20 * 60_000);
    expect(await world.count('held')).toBe(1);
  });

  it('401 pauses the account, not its neighbour', async () => {
    const { world } = await start((seen) => {
      if (seen.method !== 'POST') return { status: 204 };
      return seen.path.includes('acme-ab') ? refusal(401, 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION') : created();
    });
    await world.drop('acme-ab', 'a.xml', invoice());
    await until('the pause', () => world.logged('submit.paused') > 0);
    await world.drop('beta-as', 'b.xml', invoice());
    await world.receipt('beta-as', 'b.xml', 'accepted');
    expect(world.spooled('acme-ab')).toHaveLength(1);
  });

  it('S309 429 is waited out as Retry-After says', async () => {
    const { service, world } = await start(onPost({ ...refusal(429, 'E_RATE_LIMITED'), headers: { 'retry-after': '7' } }, created()));
    await world.drop('acme-ab', 'i.xml', invoice());
    await until('the postponement', () => world.logged('submit.postponed') > 0);
    world.clock.advance(6_900);
    expect(service.creates()).toHaveLength(1);
    world.clock.advance(3_000);
    await world.receipt('acme-ab', 'i.xml', 'accepted');
  });
});

describe('409', () => {
  it('with the same content at the service is our own document: accepted', async () => {
    const bytes = invoice();
    const { world } = await start(({ method }) =>
      method === 'POST'
        ? refusal(409, 'E_CONFLICT', { integrationId: ID, reason: 'duplicate_document' })
        : { status: 200, headers: { integrationid: ID }, body: Buffer.from(bytes) },
    );
    await world.drop('acme-ab', 'i.xml', bytes);
    expect((await world.receipt('acme-ab', 'i.xml', 'accepted')).integrationId).toBe(ID);
  });

  it('with other content is refused, and the receipt names the way out', async () => {
    const { world } = await start(({ method }) =>
      method === 'POST'
        ? refusal(409, 'E_CONFLICT', { integrationId: ID, reason: 'duplicate_document' })
        : { status: 200, headers: { integrationid: ID }, body: Buffer.from(invoice({ note: 'another' })) },
    );
    await world.drop('acme-ab', 'i.xml', invoice());
    expect((await world.receipt('acme-ab', 'i.xml', 'refused')).message).toContain('inbox/overwrite');
  });

  it('for a key in flight is waited for with the same key', async () => {
    const { service, world } = await start(onPost(refusal(409, 'E_CONFLICT', { reason: 'idempotency_in_flight' }), created()));
    await world.drop('acme-ab', 'i.xml', invoice());
    await until('the postponement', () => world.logged('submit.postponed') > 0);
    world.clock.advance(3_000);
    await world.receipt('acme-ab', 'i.xml', 'accepted');
    expect(new Set(service.creates().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});

it('S295 an unknown receiver is told at once, tried again, and refused only after the last try', async () => {
  const { world } = await start(onPost(refusal(422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP')));
  await world.drop('acme-ab', 'i.xml', invoice());
  expect((await world.receipt('acme-ab', 'i.xml', 'delayed')).action).toBe('wait');
  const tries = (): number => world.logged('submit.postponed');
  for (const [index, minutes] of [6, 35, 140, 400].entries()) {
    await until('the try before', () => tries() === index + 1);
    world.clock.advance(minutes * 60_000);
  }
  await until('the fifth try', () => tries() === 5);
  world.clock.advance(14 * 3_600_000);
  expect((await world.receipt('acme-ab', 'i.xml', 'refused')).action).toBe('fix');
  expect(world.files('acme-ab', 'receipts')).toHaveLength(2);
});

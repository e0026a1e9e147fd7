// DNS that answers differently each time it is asked, now with an address that is allowed, now with one that is not, for many requests at once: no
// connection goes where it may not, and what is delivered came from where it was allowed.
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '#runtime/clock.ts';
import { openOutbound } from '#runtime/outbound/outbound.ts';
import { authority } from '../support/authority.ts';
import { startNameServer } from '../support/name-server.ts';
import { randomOf } from '../support/random.ts';
import { startReceiver } from '../support/receiver.ts';
import { amount, seedOf } from './amounts.ts';

const REQUESTS = amount(300, 5_000);
const AT_ONCE = 20;
const ALLOWED = '127.0.0.2';
const VICTIMS = ['127.0.0.1', '127.0.0.53', '::1'] as const;

/** What a name may have at one moment: IPv4 and IPv6. */
const ANSWERS: readonly (readonly [readonly string[], readonly string[]])[] = [
  [[ALLOWED], []],
  [[ALLOWED], []],
  [['127.0.0.1'], []],
  [[ALLOWED, '127.0.0.53'], []],
  [['127.0.0.1', ALLOWED], []],
  [[ALLOWED], ['::1']],
  [[], ['::1']],
  [[ALLOWED], ['::ffff:127.0.0.1']],
  [[], ['::ffff:127.0.0.53']],
  [[ALLOWED], ['64:ff9b::7f00:1']],
  [['0.0.0.0'], ['::']],
  [['169.254.169.254'], []],
];

it(`${REQUESTS} requests to a name whose addresses change with every question reach what is allowed, and nothing else`, async () => {
  const draw = randomOf(seedOf('rebinding'));
  const allowed = await startReceiver(() => ({ status: 204, headers: { connection: 'close' } }), ALLOWED);
  onTestFinished(() => allowed[Symbol.asyncDispose]());
  let reached = 0;
  for (const host of VICTIMS) {
    const victim = createServer((socket) => {
      reached++;
      socket.destroy();
    });
    await new Promise<void>((listening) => victim.listen(allowed.port, host, listening));
    onTestFinished(() => void victim.close());
  }
  const names = await startNameServer((_, type) => ANSWERS[draw(0, ANSWERS.length - 1)]?.[type === 'A' ? 0 : 1]);
  onTestFinished(() => names[Symbol.asyncDispose]());
  const outbound = openOutbound({ allow: [ALLOWED], deny: false, ca: authority().ca, dns: [names.address] }, systemClock);
  onTestFinished(() => outbound.close());

  const outcomes = new Map<string, number>();
  let left = REQUESTS;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      // Some names are asked for again and again, some once.
      const url = `https://${draw(0, 9)}.receiver.test:${allowed.port}/`;
      const outcome = await outbound.request({ method: 'POST', url, timeoutMs: 60_000, responseBytesMax: 1_000 }).then(
        ({ status }) => String(status),
        ({ code }) => String(code),
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  expect(reached).toBe(0);
  // A name that has no address at the moment is missing.
  expect([...outcomes.keys()].filter((outcome) => !['204', 'forbidden', 'missing'].includes(outcome))).toEqual([]);
  expect(allowed.hits.length).toBe(outcomes.get('204'));
  expect(outcomes.get('forbidden')).toBeGreaterThan(REQUESTS / 10);
});

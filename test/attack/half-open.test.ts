// Room for those who have not logged in, under a crowd that takes all of it: an address that never came before gets in all the same, and
// many logins at once cost nobody anything.
import { afterEach, expect, it } from 'vitest';
import { type Crowd, type Manner, startCrowd } from '../support/half-open-crowd.ts';
import { connect } from '../support/sftp-clients.ts';
import { startTestServer, type TestServer } from '../support/sftp-server.ts';
import { until } from '../support/until.ts';
import { amount } from './amounts.ts';

const ADDRESSES = 200;
const PER_ADDRESS = 10;
const TRIES = amount(20, 100);
/** Of a hundred; a short run may have one. */
const FAILURES_MAX = Math.max(1, TRIES / 100);
const LOGIN_WITHIN_MS = 2_000;
/** On a slow machine, so many times as long as a login takes in quiet: the crowd has half of its cores. */
const TIMES_AS_LONG = 60;

let server: TestServer;
let crowd: Crowd | undefined;
afterEach(async () => {
  await crowd?.[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** How long a login from there takes; infinite when it fails. */
async function loginTimeMs(localAddress: string): Promise<number> {
  const asked = performance.now();
  try {
    (await connect(server, { localAddress })).end();
    return performance.now() - asked;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** As fast as the rate of arrivals allows, and as fast as no penalty follows. */
const PACES = { hasty: { burst: 20, perSecond: 5 }, patient: { burst: 10, perSecond: 1 } } as const;

it.each<[Manner, keyof typeof PACES]>([
  ['mute', 'hasty'],
  ['mute', 'patient'],
  ['greeting', 'patient'],
  ['exchange', 'hasty'],
  ['exchange', 'patient'],
])(`${ADDRESSES} addresses that hold what they can (%s, %s) keep no clean one out`, async (manner, pace) => {
  server = await startTestServer({ settings: { exempt: false } });
  const limitMs = Math.max(LOGIN_WITHIN_MS, TIMES_AS_LONG * (await loginTimeMs('127.9.1.1')));
  crowd = startCrowd({ port: server.port, manner, addresses: ADDRESSES, perAddress: PER_ADDRESS, ...PACES[pace] });
  const { opened } = { opened: () => crowd?.opened ?? 0 };
  await until('the crowd', () => opened() >= ADDRESSES);
  const times: number[] = [];
  for (let n = 0; n < TRIES; n++) times.push(await loginTimeMs(`127.9.0.${1 + n}`));
  expect(times.filter((ms) => ms > limitMs).length, times.map(Math.round).join(' ')).toBeLessThanOrEqual(FAILURES_MAX);
});

// The pace of the daily look-ups: spread over the day, a few at once, so many in a minute; restarts neither repeat nor forget any.
import { expect, it, onTestFinished } from 'vitest';
import { openCoreLedger } from '#core/ledger/open.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { selectChecked } from '#core/ledger/watched.ts';
import { nextLookAt } from '#core/network/schedule.ts';
import type { Survey } from '#core/network/survey.ts';
import { startWatching } from '#core/network/watch.ts';
import { addParticipant, removeParticipant } from '#core/operate/administration.ts';
import { coreAlarms } from '#core/operate/alarms.ts';
import { systemRandom } from '#runtime/clock.ts';
import { calm } from '../../../support/calm.ts';
import { manualClock } from '../../../support/clock.ts';
import { coreOfTest, silent, type TestCore } from '../../../support/core.ts';
import { BUYER, SELLER } from '../../../support/documents.ts';
import { startNetwork } from '../../../support/network.ts';
import { until } from '../../../support/until.ts';
import { MINUTE, registered, startWatch } from '../../../support/watch.ts';
import { countRows } from '../../../support/world/ledger-rows.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START_MS = Date.parse('2026-11-21T10:00:00Z');
/** Whose moment is not in the first minutes: in these each is looked up once. */
const PARTICIPANTS = Array.from({ length: 400 }, (_, at) => `0007:${1_000_000_000 + at}`)
  .filter((participant) => nextLookAt(participant, START_MS) > START_MS + 10 * MINUTE)
  .slice(0, 300);
const FINE = { differences: [], address: 'https://ap.example/as4', certificateEndsAt: null };

/** A core without a network, whose seller has these participants beside its usual one, and a watch over them and the buyer's. */
async function startCrowd(survey: Survey) {
  const clock = manualClock(START_MS);
  const core = await coreOfTest({ clock });
  for (const participant of PARTICIPANTS) await addParticipant(core.administration, 'seller', participant);
  const { ledger } = core.administration;
  const start = (at = ledger, asked = survey) => startWatching({ ledger: at, clock, random: systemRandom, log: silent }, asked);
  return { clock, core, start, rows: () => selectChecked(ledger.read, { accountRegNo: null, limit: 10_000 }) };
}

it('each has its moment of the day, which no restart changes', async () => {
  const { clock, start, rows } = await startCrowd(async () => FINE);
  const first = await start();
  const planned = await rows();
  const hours = planned.map(({ nextLookAt }) => Math.floor(((nextLookAt ?? 0) - clock.now()) / HOUR));
  expect(Math.min(...hours)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...hours)).toBeLessThan(24);
  expect(new Set(hours).size).toBe(24);
  await first[Symbol.asyncDispose]();
  clock.advance(MINUTE);
  await using _second = await start();
  expect(await rows()).toEqual(planned);
});

it('after a day without the daemon each is looked up once, four at once, 120 in a minute', async () => {
  const looked: string[] = [];
  let running = 0;
  let most = 0;
  const { clock, start, rows } = await startCrowd(async ({ participant }) => {
    most = Math.max(most, ++running);
    looked.push(participant);
    // The first ones last until as many are under way as may be.
    if (looked.length < 10) await calm();
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return FINE;
  });
  await (await start())[Symbol.asyncDispose]();
  clock.advance(2 * DAY);
  await using _watch = await start();
  await calm();
  expect(looked).toEqual([]);
  for (const count of [120, 240, 302, 302]) {
    clock.advance(MINUTE);
    await until('these look-ups', () => looked.length >= count);
    await calm(() => running > 0);
    expect(looked).toHaveLength(count);
  }
  expect([...looked].sort()).toEqual([...PARTICIPANTS, SELLER, BUYER].sort());
  expect(most).toBe(4);
  const kept = await rows();
  expect(kept.every(({ lookedUpAt, nextLookAt }) => lookedUpAt !== null && (nextLookAt ?? 0) > clock.now())).toBe(true);
});

it('one that is stopped ends what is under way, begins no other, and leaves these for the next start', async () => {
  const looked: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { clock, start, rows } = await startCrowd(async ({ participant }) => {
    looked.push(participant);
    await held;
    return FINE;
  });
  const watch = await start();
  clock.advance(DAY);
  await calm();
  clock.advance(MINUTE);
  await until('the first of them', () => looked.length >= 4);
  const stopping = watch[Symbol.asyncDispose]();
  release();
  await stopping;
  expect(looked).toHaveLength(4);
  expect((await rows()).filter(({ lookedUpAt }) => lookedUpAt !== null)).toHaveLength(4);
});

/** As another core on its ledger has it. */
async function ledgerBeside({ databasePath }: TestCore): Promise<Ledger> {
  const ledger = await openCoreLedger(databasePath);
  onTestFinished(() => ledger.close());
  return ledger;
}

it('several on one ledger look each up once between them', async () => {
  const looked: string[] = [];
  let running = 0;
  const { clock, core, start, rows } = await startCrowd(async ({ participant }) => {
    running++;
    looked.push(participant);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return FINE;
  });
  await using _one = await start();
  await using _two = await start(await ledgerBeside(core));
  clock.advance(DAY);
  await until('all look-ups', async () => {
    await calm(() => running > 0);
    clock.advance(MINUTE);
    return (await rows()).every(({ lookedUpAt }) => lookedUpAt !== null);
  });
  await calm(() => running > 0);
  expect([...looked].sort()).toEqual([...PARTICIPANTS, SELLER, BUYER].sort());
});

it('what one was looking up when it ended another looks up minutes later, and not before', async () => {
  const begun: string[] = [];
  const looked: string[] = [];
  const { clock, core, start, rows } = await startCrowd(({ participant }) => {
    begun.push(participant);
    return Promise.withResolvers<never>().promise;
  });
  await start();
  clock.advance(DAY);
  await calm();
  clock.advance(MINUTE);
  await until('the first of them', () => begun.length >= 4);
  await using _other = await start(await ledgerBeside(core), async ({ participant }) => {
    looked.push(participant);
    return FINE;
  });
  const areLooked = async (): Promise<boolean> => {
    await calm();
    return (await rows()).filter(({ lookedUpAt }) => lookedUpAt !== null).length >= PARTICIPANTS.length - 2;
  };
  for (let minute = 0; minute < 4; minute++) {
    await calm();
    clock.advance(MINUTE);
  }
  await until('all others', areLooked);
  expect(looked.filter((participant) => begun.includes(participant))).toEqual([]);
  clock.advance(5 * MINUTE);
  await until('these as well', () => begun.every((participant) => looked.includes(participant)));
  expect(begun).toHaveLength(4);
});

it('what one look-up throws keeps none from the others', async () => {
  const { clock, start, rows } = await startCrowd(async ({ participant }) => {
    if (participant === SELLER) throw new RangeError('Invalid string length');
    return FINE;
  });
  await using _watch = await start();
  clock.advance(DAY);
  for (let minute = 0; minute < 4; minute++) {
    await calm();
    clock.advance(MINUTE);
  }
  await until(
    'the look-ups',
    async () => (await rows()).filter(({ lookedUpAt }) => lookedUpAt !== null).length === PARTICIPANTS.length + 1,
  );
  expect((await rows()).find(({ participant }) => participant === SELLER)).toMatchObject({ what: null, reason: 'Invalid string length' });
});

it('a participant that comes is looked up within a day; one that goes is forgotten, with what differed', async () => {
  const watch = await startWatch();
  const { network, core, rows } = watch;
  const other = '0088:7300010000018';
  await addParticipant(core.administration, 'seller', other);
  network.clock.advance(HOUR);
  await until('its plan', async () => (await rows(other))[0]?.nextLookAt);
  expect(await watch.nextLook(other)).toMatchObject([{ what: 'absent' }]);
  await removeParticipant(core.administration, 'seller', other);
  expect(await rows(other)).toEqual([]);
  network.clock.advance(HOUR);
  await until('it is forgotten', async () => (await countRows(core.administration.ledger, 'differences')) === 0);
});

it('off, nobody is looked up', async () => {
  await using network = await startNetwork();
  network.smp.participants.set(SELLER, registered());
  const core = await network.startCore('seller', { accessPoint: 'http', url: 'http://127.0.0.1:9', watch: 'off' });
  for (let hour = 0; hour < 30; hour++) {
    network.clock.advance(HOUR);
    await calm();
  }
  expect(network.dns.asked).toEqual([]);
  expect(await selectChecked(core.administration.ledger.read, { accountRegNo: null, limit: 10 })).toMatchObject([
    { nextLookAt: null, lookedUpAt: null },
  ]);
});

it('what differs is an alarm of its participant until it does not differ any more', async () => {
  let differences = [{ what: 'absent', detail: '' } as const];
  const { clock, core, start } = await startCrowd(async ({ participant }) => ({
    ...FINE,
    differences: participant === SELLER ? differences : [],
  }));
  const alarms = (isWatched = true) => coreAlarms({ ledger: core.administration.ledger, clock, isWatched });
  await using _watch = await start();
  expect(await alarms()).toEqual([]);
  const pass = async (): Promise<number> => {
    clock.advance(10 * MINUTE);
    await calm();
    return (await alarms())?.length ?? 0;
  };
  await until('the alarm', async () => (await pass()) === 1);
  expect(await alarms()).toEqual([
    { kind: 'registration', subject: SELLER, sentence: "account seller: absent; 'dropgate network check' tells more." },
  ]);
  // Where nobody looks up any more, nobody would see its end.
  expect(await alarms(false)).toEqual([]);
  differences = [];
  await until('its end', async () => (await pass()) === 0);
});

// Marks come after everything else, and yet all of them come soon: however many there are, and when some could not be set.

import { expect, it } from 'vitest';
import { putVersion, UNMARKED_MAX } from '#gateway/ledger/documents.ts';
import { putSweep } from '#gateway/ledger/sweeps.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { invoice } from '../../../support/documents.ts';
import { ACCOUNT, HOUR, MINUTE, type Polled, passing, poll, serve, started } from '../../../support/polled.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';

const FEED: Feed = { accountRegNo: ACCOUNT, family: 'Invoice' };
const marked = ({ service }: Polled): number =>
  new Set(
    service.requests.flatMap(({ path, query, status }) =>
      path.includes('/readinvoices') && status !== null ? [query.get('integrationId')] : [],
    ),
  ).size;

it('what was published before a start is all marked at once, though there is more of it than is marked at a time', async () => {
  const there = await serve();
  const documents = 2 * UNMARKED_MAX + 1;
  const publishedBefore = ({ ledger }: Administration): Promise<void> =>
    ledger.write([], async (rows) => {
      const version = { isKnown: false, version: 1, content: 'content', listSha256: 'list', receivedAt: 0, head: null };
      for (let index = 0; index < documents; index++) await putVersion(rows, FEED, { ...version, integrationId: `D-${index}` });
      await putSweep(rows, FEED, { start: 'started' });
    });
  const world = await poll(there, {}, { hinted: true, before: publishedBefore });
  const beganMs = there.clock.now();
  await passing(world, 'all marks', () => marked(there) === documents, 100);
  expect(there.clock.now() - beganMs).toBeLessThan(MINUTE);
});

it('marks that could not be set are tried again in time, though the next sweep is hours away', async () => {
  const there = await serve();
  const world = await poll(there, {}, { hinted: true });
  const { service, clock } = there;
  await started(world, service);
  service.manners.fault = ({ path }) => (path.includes('/readinvoices') ? FAULTS.internalError : undefined);
  const held = service.arrive(ACCOUNT, Buffer.from(invoice()));
  world.gateway().ring(ACCOUNT, 'Invoice');
  await passing(world, 'a mark', () => service.requests.some(({ query }) => query.get('limit') === '1'));
  service.manners.fault = () => undefined;
  const beganMs = clock.now();
  await passing(world, 'the mark', () => held.readAt !== null, MINUTE);
  expect(clock.now() - beganMs).toBeLessThan(HOUR);
});

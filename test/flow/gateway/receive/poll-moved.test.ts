// Documents that a service lists anew, above others that nobody has met: the known ones must not hide those, for the next comparison of all
// that was changed lately may be six hours away.
import { expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { ACCOUNT, HOUR, MINUTE, numbers, type Polled, pages, passing, poll, serve, started } from '../../../support/polled.ts';
import type { Held } from '../../../support/stand-in/held.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import type { World } from '../../../support/world/world.ts';

async function polled(limitMax: number): Promise<Polled & { world: World }> {
  const there = await serve();
  there.service.manners.limitMax = limitMax;
  const world = await poll(there);
  await started(world, there.service);
  return { ...there, world };
}

const arrive = ({ service }: Polled, ids: readonly string[]): Held[] =>
  ids.map((id) => service.arrive(ACCOUNT, Buffer.from(invoice({ id }))));
const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${name}-${index}`);
const has = (world: World, ids: readonly string[]): boolean => ids.every((id) => numbers(world).includes(id));

/** Well before anything but sweeps could find them. */
async function soon({ clock, world }: { clock: Polled['clock']; world: World }, ids: readonly string[]): Promise<void> {
  const beganMs = clock.now();
  await passing(world, ids.join(), () => has(world, ids), MINUTE);
  expect(clock.now() - beganMs).toBeLessThan(HOUR);
}

/** Does it once, before the next request of this kind is answered. */
function before({ service }: Polled, isIt: (path: string, query: URLSearchParams) => boolean, work: () => void): void {
  let isDone = false;
  service.manners.fault = ({ path, query }) => {
    if (!isDone && isIt(path, query)) {
      isDone = true;
      work();
    }
    return undefined;
  };
}

it('those that were overwritten between list and fetch, and were handed on by a sweep that then failed, end no sweep above what that had not met', async () => {
  const there = await polled(3);
  const { service, world } = there;
  const first = arrive(there, numbered('FIRST', 3));
  const late = numbered('LATE', 4);
  before(
    there,
    (_path, query) => query.has('integrationId'),
    () => {
      arrive(there, late);
      for (const held of first) {
        service.holding.replace(held, Buffer.from(invoice({ id: held.documentId, note: 'second' })));
        service.holding.relist(held);
      }
    },
  );
  await passing(world, 'the first ones', () => numbers(world).length === 3, MINUTE);
  // What stands on the first page is handed on, and not one page more can be read.
  let refused = 0;
  service.manners.fault = ({ query }) => {
    if (Number(query.get('offset')) === 0) return undefined;
    refused++;
    return FAULTS.internalError;
  };
  await passing(world, 'that sweep', () => refused > 0, MINUTE);
  expect(numbers(world)).toHaveLength(3);
  service.manners.fault = () => undefined;
  await soon(there, late);
});

it('those that our own marks have moved end no sweep above what came before the marks', async () => {
  const there = await polled(20);
  const { service, world } = there;
  service.manners.relistsRead = true;
  const known = numbered('KNOWN', 30);
  const late = numbered('LATE', 3);
  before(
    there,
    (path) => path.includes('/readinvoices'),
    () => arrive(there, late),
  );
  arrive(there, known);
  await passing(world, 'the known ones', () => has(world, known), MINUTE);
  await soon(there, late);
});

it('those whose marks were set, and nobody was told, end none either, though something new stands above them', async () => {
  const there = await polled(3);
  const { service } = there;
  service.manners.relistsRead = true;
  const known = numbered('KNOWN', 3);
  const late = numbered('LATE', 4);
  arrive(there, known);
  let lost = 0;
  const above: Held[] = [];
  service.manners.fault = ({ path, query }) => {
    const marks = path.includes('/readinvoices');
    if (!marks && lost === known.length && above.length === 0) above.push(...arrive(there, numbered('ABOVE', 3)));
    // These are never marked, and so stay where they are.
    if (marks && above.some(({ integrationId }) => integrationId === query.get('integrationId'))) return FAULTS.internalError;
    if (!marks || lost === known.length) return undefined;
    if (lost++ === 0) arrive(there, late);
    return FAULTS.lostAnswer;
  };
  await soon(there, [...known, ...late, ...numbered('ABOVE', 3)]);
});

it('known ones that stand between others which nobody has met are no end of the list', async () => {
  const there = await polled(20);
  const { service, world } = there;
  const known = arrive(there, numbered('KNOWN', 30));
  await passing(world, 'the known ones', () => numbers(world).length === 30, MINUTE);
  await passing(world, 'a quiet hour', () => service.holding.all.every(({ readAt }) => readAt !== null), MINUTE);
  const asked = pages(service).length;
  await passing(world, 'another sweep', () => pages(service).length > asked, MINUTE);
  // Somebody else does something with them, one by one, while others come.
  for (const [index, held] of known.entries()) {
    arrive(there, [`LATE-${index}`]);
    service.holding.relist(held);
  }
  await soon(there, numbered('LATE', 30));
});

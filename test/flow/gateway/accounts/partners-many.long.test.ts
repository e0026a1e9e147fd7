// A partner with hundreds of children: what linking them, a start, a listing and an idle hour cost. DROPGATE_CHILDREN says how many (200; the whole has 500).

import { expect, it } from 'vitest';
import { amountOf } from '../../../support/amounts.ts';
import { manualClock } from '../../../support/clock.ts';
import { invoice } from '../../../support/documents.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { type StandIn, startStandIn } from '../../../support/stand-in/stand-in.ts';
import { until } from '../../../support/until.ts';
import { KEY, ofPartner, PARTNER, STRANGER, type TestChild } from '../../../support/world/partner.ts';
import { given } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const COUNT = amountOf('DROPGATE_CHILDREN');
const FAMILIES = 8;
const LISTINGS = 20;
const WITHIN_MS = 600_000;

const children: readonly TestChild[] = Array.from({ length: COUNT }, (_, index) => ({
  accountRegNo: `child-${index}`,
  folder: `folder-${index}`,
  // 0151: an Australian business number, of any digits.
  participants: [`0151:${String(index).padStart(11, '0')}`],
}));
const addressOf = (index: number): string => children[index]?.participants?.[0] ?? '';

let service: StandIn;
let world: World;

/** CPU seconds of this process, client and service among them. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

it.each([
  ['a folder for each', false],
  ['one home for all', true],
])('%s', { timeout: 4 * WITHIN_MS }, async (title, consolidated) => {
  const clock = manualClock();
  const key = { key: KEY, children: children.map(({ accountRegNo }) => accountRegNo) };
  service = await startStandIn({ clock, accounts: { [PARTNER]: key } });
  const begun = cpu();
  world = await startWorld(given(service), { ...ofPartner({ children, consolidated }), clock, hinted: false });
  const linked = cpu();

  const feeds = new Set<string>();
  let looked = 0;
  await until(
    'each feed to be swept',
    () => {
      clock.advance(100);
      for (; looked < service.requests.length; looked++) {
        const path = service.requests[looked]?.path ?? '';
        if (path.endsWith('/incoming')) feeds.add(path);
      }
      return feeds.size >= COUNT * FAMILIES;
    },
    WITHIN_MS,
  );
  const swept = cpu();
  const tokens = service.credentials.tokensGiven();
  expect(tokens).toBe(COUNT);

  const client = await connect({ port: world.gateway().sftp.port, knownHosts: '' });
  const sftp = await openSftp(client);
  const beforeLists = cpu();
  for (let round = 0; round < LISTINGS; round++) {
    const names = await called<unknown[]>((done) => sftp.readdir('/', done));
    expect(names).toHaveLength(consolidated ? 5 : COUNT);
  }
  const listed = cpu();

  const last = COUNT - 1;
  const home = consolidated ? PARTNER : `child-${last}`;
  await called((done) =>
    sftp.writeFile(
      consolidated ? '/inbox/a.xml' : `/folder-${last}/inbox/a.xml`,
      Buffer.from(invoice({ sender: addressOf(last), receiver: STRANGER })),
      done,
    ),
  );
  expect(await world.receipt(home, 'a.xml', 'accepted')).toMatchObject({ accountRegNo: `child-${last}` });
  client.end();

  const perChild = ((swept - linked) / COUNT) * 1_000;
  const perListing = ((listed - beforeLists) / LISTINGS) * 1_000;
  console.info(
    `partners: ${title}, ${COUNT} children, ${(linked - begun).toFixed(1)} s CPU to link them and start, ${perChild.toFixed(1)} ms CPU each for the first sweeps (with the stand-in), ${tokens} tokens, ${perListing.toFixed(1)} ms CPU a listing of the top (with the client)`,
  );
});

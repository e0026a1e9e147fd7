// However a hand-over ends, and whatever happens before the next one: the document is sent once, and that is told.
import { expect, it } from 'vitest';
import type { HttpAccessPoint, Mode } from '../../../support/access-point.ts';
import type { TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { startSellerBehindHttp } from '../../../support/network.ts';
import { isHandingOver, leaveHandingOver } from '../../../support/world/ledger-rows.ts';

const OUT = '/transaction/seller/invoices/outgoing';

interface Here {
  readonly ap: HttpAccessPoint;
  readonly core: TestCore;
}

/** As it is left by a kill in the middle of the hand-over: leased, and nothing of its outcome is written down. */
async function killed({ core }: Here): Promise<void> {
  await leaveHandingOver(core.administration.ledger);
  await core.restart();
}

/** The access point begins anew what it was sending, and archives what it has sent. */
async function restartedAndArchived({ ap }: Here): Promise<void> {
  await ap.stop();
  await ap.start();
  for (const each of ap.transactions.values()) each.status = 'sent';
  ap.archive();
}

const MODES: readonly Mode[] = ['send', 'fail', 'lose', 'hang', 'die', 400, 401, 500, 503];
const EVENTS: readonly (readonly [what: string, happens: (here: Here) => Promise<void>])[] = [
  ['nothing happens', async () => undefined],
  ['the core is killed before it has written that down', killed],
  ['the access point ends, begins again and archives', restartedAndArchived],
  [
    'both are ended',
    async (here) => {
      await restartedAndArchived(here);
      await killed(here);
    },
  ],
];

it.each(MODES.flatMap((mode) => EVENTS.map(([what, happens]) => [mode, what, happens] as const)))(
  'a hand-over ends with %s, and then %s',
  async (mode, _, happens) => {
    const { network, ap, core } = await startSellerBehindHttp();
    ap.mode = () => mode;
    const { integrationId } = (await core.call(OUT, { body: invoice() })).json.data;
    const status = async (): Promise<string> =>
      (await core.call(`${OUT}/status?integrationId=${integrationId}&includeRead=true`)).json[0].metadata.status;
    await network.wait('the hand-over', () => ap.submissions.length > 0);
    // One that is not answered ends by our own time.
    network.clock.advance(mode === 'hang' ? 61_000 : 0);
    await network.wait('its end', async () => !(await isHandingOver(core.administration.ledger)));
    await happens({ ap, core });
    ap.mode = () => 'send';
    await ap.retry();
    for (const each of ap.transactions.values()) if (each.status === 'sending') each.status = 'sent';
    await network.wait('sent', async () => (await status()) === 'sent', 60_000);
    expect([...ap.transactions.values()].map(({ copies, status: told }) => [copies, told])).toEqual([[1, 'sent']]);
  },
);

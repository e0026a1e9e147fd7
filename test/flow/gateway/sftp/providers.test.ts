// Sessions as other providers document them, played by OpenSSH: the host's name and the login are all that changes.
import { describe, expect, it } from 'vitest';
import type { Layout } from '#gateway/model/layout.ts';
import type { ReceivingChanges } from '#gateway/model/receiving.ts';
import { invoice } from '../../../support/documents.ts';
import { ACCOUNT, HOUR, passing } from '../../../support/polled.ts';
import { providerSite } from '../../../support/provider-site.ts';
import { have } from '../../../support/sftp-clients.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

describe.runIf(have('sftp'))('to-peppol and from-peppol, with RCPT- and DLVY- files', () => {
  it('a file that is moved out of tmp has one receipt, which lies among what came', async () => {
    const { session, shown, listed, arrive, read, world, service } = await providerSite('to-from-peppol-rcpt');
    for (const name of ['good.xml', 'broken.xml']) {
      await session(`put ${name} /to-peppol/tmp/${name}`, `rename /to-peppol/tmp/${name} /to-peppol/${name}`);
    }
    expect(await listed('/to-peppol/tmp')).toEqual([]);
    const receipts = await shown('/from-peppol', 'receipts', 2);
    for (const name of receipts) expect(name).toMatch(new RegExp(`^RCPT-${ACCOUNT}-${UUID}\\.xml$`));
    for (const name of receipts) await session(`get /from-peppol/${name}`, `rm /from-peppol/${name}`);
    const codes = receipts.map((name) => /ResponseCode>(\w\w)</.exec(read(name))?.[1]).sort();
    expect(codes).toEqual(['AP', 'RE']);

    const id = arrive(invoice({ id: 'CAME' }));
    const [came = ''] = await shown('/from-peppol', 'outbox', 1);
    expect(came).toBe(`DLVY-${ACCOUNT}-${id}.xml`);
    await session(`get /from-peppol/${came}`, `rm /from-peppol/${came}`);
    expect(read(came)).toBe(Buffer.from(invoice({ id: 'CAME' })).toString());
    expect(await listed('/from-peppol')).toEqual([]);
    expect(service.holding.all.filter(({ documentId }) => documentId === 'GOOD')).toHaveLength(1);
    await world.restart();
    await world.pass(HOUR);
    expect(await listed('/from-peppol')).toEqual([]);
  });
});

interface Contract {
  readonly provider: string;
  readonly layout: Layout;
  readonly receiving?: ReceivingChanges;
  /** Where files are dropped, and where what was received lies. */
  readonly send: string;
  readonly receive: string;
  /** How one that was received is fetched. */
  readonly fetch: (name: string) => readonly string[];
  /** Where originals go that were sent, and those that failed. */
  readonly sent?: string;
  readonly failed?: string;
}

const CONTRACTS: readonly Contract[] = [
  {
    provider: 'Qvalia: /send, received documents at the top, fetched as NAME.downloading',
    layout: 'flat',
    send: '/send',
    receive: '',
    fetch: (name) => [`rename /${name} /${name}.downloading`, `get /${name}.downloading ${name}`, `rm /${name}.downloading`],
  },
  {
    provider: 'ECGrid: /out is complete when it is closed, and what was downloaded from /in is gone',
    layout: 'out-in',
    receiving: { outbox: 'downloaded' },
    send: '/out',
    receive: '/in',
    fetch: (name) => [`get /in/${name}`],
  },
  {
    provider: 'Domibus: OUT, IN, SENT and FAILED',
    layout: 'out-in-sent-failed',
    send: '/OUT',
    receive: '/IN',
    fetch: (name) => [`get /IN/${name}`, `rm /IN/${name}`],
    sent: '/SENT',
    failed: '/FAILED',
  },
  {
    provider: 'Billit: a folder to send, one for what succeeded, one of exports',
    layout: { inbox: 'input', accepted: 'success', outbox: 'export' },
    send: '/input',
    receive: '/export',
    fetch: (name) => [`get /export/${name}`, `rm /export/${name}`],
    sent: '/success',
  },
];

describe.runIf(have('sftp'))('other folders', () => {
  it.each(CONTRACTS)('$provider', async ({ layout, receiving, send, receive, fetch, sent = '/accepted', failed = '/refused' }) => {
    const { session, shown, listed, arrive, here, read, service, world } = await providerSite(layout, receiving && { receiving });
    await session(`put good.xml ${send}/good.xml`, `put broken.xml ${send}/broken.xml`);
    expect(await shown(sent, 'accepted', 1)).toEqual([expect.stringMatching(/^good\..+\.xml$/)]);
    expect(await shown(failed, 'refused', 1)).toEqual([expect.stringMatching(/^broken\..+\.xml$/)]);
    // A client that looks for what it has just uploaded still finds it, for a while.
    await world.pass(HOUR);
    expect((await listed(send)).filter((name) => name.endsWith('.xml'))).toEqual([]);
    expect(service.holding.all.filter(({ documentId }) => documentId === 'GOOD')).toHaveLength(1);

    arrive(invoice({ id: 'CAME' }));
    const [came = ''] = (await shown(receive, 'outbox', 1)).filter((name) => name.includes('CAME'));
    await session(...fetch(came));
    expect(here()).toContain(came);
    expect(read(came)).toBe(Buffer.from(invoice({ id: 'CAME' })).toString());
    await passing(world, 'it to be gone', () => world.files(ACCOUNT, 'outbox').length === 0);
  });
});

describe.runIf(have('sftp'))('Coupa: Incoming/TYPE, Outgoing/TYPE, Archive/Incoming', () => {
  it('a folder of a kind is a door to the inbox, and shows what came of that kind', async () => {
    const { session, plain, failing, listed, shown, arrive, read, service, world } = await providerSite('incoming-outgoing-kinds', {
      hasPlain: true,
    });
    expect(await listed('/')).toEqual(['Archive', 'Incoming', 'Outgoing', 'receipts', 'refused']);
    expect(await listed('/Archive')).toEqual(['Incoming']);
    const kinds = await listed('/Outgoing');
    expect(kinds).toEqual(expect.arrayContaining(['Invoices', 'PurchaseOrders']));
    expect(await listed('/Incoming')).toEqual([...kinds, 'overwrite', 'tmp'].sort());

    await session('put good.xml /Incoming/Invoices/good.xml', 'put broken.xml /Incoming/PurchaseOrders/tmp/broken.xml');
    expect(await listed('/Incoming/PurchaseOrders')).toEqual(['good.xml', 'overwrite', 'tmp']);
    await session('rename /Incoming/tmp/broken.xml /Incoming/Invoices/broken.xml');
    expect(await shown('/Archive/Incoming', 'accepted', 1)).toEqual([expect.stringMatching(/^good\..+\.xml$/)]);
    const [refused = ''] = await shown('/refused', 'refused', 1);
    await session(`rename /refused/${refused} /Incoming/Invoices/again.xml`);
    expect(service.holding.all.filter(({ documentId }) => documentId === 'GOOD')).toHaveLength(1);

    arrive(invoice({ id: 'CAME' }));
    await passing(world, 'it to come', () => world.files(ACCOUNT, 'outbox').length === 1);
    const [came = ''] = await listed('/Outgoing/Invoices');
    expect(came).toContain('_Invoice_CAME_');
    expect(await listed('/Outgoing')).toEqual(kinds);
    expect(await listed('/Outgoing/PurchaseOrders')).toEqual([]);
    expect(await failing(`get /Outgoing/${came}`)).toContain('not found');
    expect(await failing(`get /Outgoing/PurchaseOrders/${came}`)).toContain('not found');
    expect(await plain('ls -1 /outbox')).toContain(`/outbox/${came}`);
    await session(`rename /Outgoing/Invoices/${came} /Outgoing/Invoices/${came}.downloading`);
    await session(`get /Outgoing/Invoices/${came}.downloading ${came}`, `rm /Outgoing/Invoices/${came}.downloading`);
    expect(read(came)).toBe(Buffer.from(invoice({ id: 'CAME' })).toString());
    expect(world.files(ACCOUNT, 'outbox')).toEqual([]);
  });

  it('nothing is put, made or moved into the folders that lead to others, or above them', async () => {
    const { failing } = await providerSite({ inbox: 'a/in', outbox: '', refused: 'a/b/no' });
    for (const command of ['put good.xml /a/good.xml', 'mkdir /a/new', 'put good.xml /a/b/no/good.xml', 'put good.xml /a/../../good.xml']) {
      expect(await failing(command)).toMatch(/a\/in/);
    }
    expect(await failing('rmdir /a/b')).toContain('cannot be removed');
    expect(await failing('put good.xml /a/in/good.xml', 'rename /a/in/good.xml /a/good.xml')).toContain('renamed within their folder');
    expect(await failing('put good.xml /a/in/w.tmp', 'rename /a/in/w.tmp /a/in/../../../inbox')).toContain('renamed within their folder');
  });
});

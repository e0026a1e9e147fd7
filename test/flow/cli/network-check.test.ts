// `dropgate network check` beside a running core: how strangers find the participants of accounts.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { addParticipant } from '#core/operate/administration.ts';
import { SELLER } from '../../support/documents.ts';
import { smpSigner } from '../../support/smp.ts';
import { command } from '../../support/terminal.ts';
import { registered, startWatch, type Watch } from '../../support/watch.ts';

let watch: Watch;
let config: string;
beforeEach(async () => {
  watch = await startWatch();
  const data = dirname(watch.core.databasePath);
  config = join(data, 'dropgate.yaml');
  const authorities = join(data, 'smp.pem');
  writeFileSync(authorities, smpSigner().authority);
  configure(`country: SE, sml: sml.test, smpAuthorities: ${authorities}, accessPoint: http, url: 'http://127.0.0.1:9', kind: peppol`);
});

function configure(network: string): void {
  const outbound = `{allow: [127.0.0.0/8], dns: ['${watch.network.dns.address}']}`;
  writeFileSync(config, `role: core\ndata: ${dirname(config)}\noutbound: ${outbound}\ncore:\n  network: {${network}}\n`);
}

const run = (line = '') => command(['network', 'check', ...line.split(' ').filter(Boolean), '--config', config]);
const listed = async (line = '') => (await run(`--json ${line}`)).out.split('\n').flatMap((each) => (each === '' ? [] : JSON.parse(each)));
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

it('tells each participant: not looked up yet, as it should be, and what differs since when; then its status is 1', async () => {
  const row = { participant: SELLER, accountRegNo: 'seller', detail: null, since: null, reason: null };
  expect(await run()).toMatchObject({ status: 0 });
  expect(await listed()).toEqual([{ ...row, what: 'unknown', lookedUpAt: null, nextLookAt: TIME, certificateEndsAt: null }]);
  const style = { isColoured: false, nowMs: watch.network.clock.now() };
  const shown = await command(['network', 'check', '--config', config], undefined, style);
  expect(shown.out).toMatch(/DETAIL +SINCE +LOOKED UP +CERTIFICATE\n.* - +- +never +-$/);
  await watch.nextLook();
  expect(await listed()).toEqual([{ ...row, what: 'ok', lookedUpAt: TIME, nextLookAt: TIME, certificateEndsAt: TIME }]);
  expect((await run()).out).toMatch(/^0088:7300010000001\tseller\tok\t-\tsince -\tlooked up \S+Z\tcertificate until \S+Z$/);
  watch.network.smp.participants.set(SELLER, registered().slice(0, 1));
  await watch.nextLook();
  const detail = 'CreditNote (peppol-billing)';
  expect(await listed()).toMatchObject([{ what: 'missing-type', detail, since: TIME, lookedUpAt: TIME, certificateEndsAt: TIME }]);
  const { status, out } = await run();
  expect(status).toBe(1);
  expect(out).toMatch(/\tmissing-type\tCreditNote \(peppol-billing\)\tsince \S+Z\tlooked up \S+Z\t/);
});

it('--now looks up before it tells, and keeps what it found', async () => {
  watch.network.smp.participants.delete(SELLER);
  expect(await run('--now')).toMatchObject({ status: 1, out: expect.stringContaining('\tabsent\t') });
  expect(await run()).toMatchObject({ status: 1, out: expect.stringContaining('\tabsent\t') });
  watch.network.smp.participants.set(SELLER, registered());
  expect(await run('--now --account seller')).toMatchObject({ status: 0, out: expect.stringContaining('\tok\t') });
  watch.network.smp.tamper = () => 503;
  expect(await run('--now')).toMatchObject({ status: 0, out: expect.stringContaining('\tok\tThe SMP of the receiver answered 503.\t') });
});

it('tells those that differ first, and of one account its own', async () => {
  await addParticipant(watch.core.administration, 'seller', '0088:7300010000018');
  expect((await listed('--now')).map(({ participant, what }) => [participant, what])).toEqual([
    ['0088:7300010000018', 'absent'],
    [SELLER, 'ok'],
  ]);
  expect(await run('--account gone')).toMatchObject({ status: 66, err: expect.stringContaining('no account gone') });
  expect(await listed('--account seller')).toHaveLength(2);
});

it('what an SMP says moves no cursor', async () => {
  await run('--now');
  watch.network.smp.participants.set(SELLER, registered({ address: 'at \u009b2J' }));
  const { out } = await run('--now');
  expect(out).toContain('\telsewhere\tat \\u009b2J\t');
});

it('says so where nobody is looked up', async () => {
  configure('watch: off');
  expect(await run()).toMatchObject({ status: 0, err: expect.stringContaining('core.network.kind is local') });
  expect(await run('--now')).toMatchObject({ status: 64, err: expect.stringContaining('core.network.kind is local') });
  configure(`watch: off, kind: peppol, country: SE, folder: ${dirname(config)}`);
  expect(await run()).toMatchObject({ status: 0, err: expect.stringContaining('core.network.watch is off') });
});

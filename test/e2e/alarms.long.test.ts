// Each alarm of a real daemon, by its real cause: it comes by mail, to the webhook and as a file, and what ends says so. The daemon's clock is set forward
// by the test, for some take hours to begin, or a year.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { ALARM_KINDS, type AlarmKind } from '#domain/alarm.ts';
import { AP_TOKEN, type HttpAccessPoint, startHttpAccessPoint } from '../support/access-point.ts';
import { authority } from '../support/authority.ts';
import { certified } from '../support/certificates.ts';
import { type DaemonOptions, SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { bodyOf, type MailServer, startMailServer } from '../support/mail-server.ts';
import { startNameServer } from '../support/name-server.ts';
import { naptr, ZONE } from '../support/network.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { created, refusal, type Script, startScriptedService } from '../support/scripted-service.ts';
import { SetClock } from '../support/set-clock.ts';
import { openSsh } from '../support/sftp-clients.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import { smpSigner, startSmp } from '../support/smp.ts';
import { until } from '../support/until.ts';
import { registered } from '../support/watch.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MIB = 2 ** 20;
const WITHIN_MS = 600_000;
const FAR = '0088:7300010000049';

const WHATS = ['began', 'happened', 'ended'] as const;
type What = (typeof WHATS)[number];
/** `what kind`, and the line that tells it. */
type Line = readonly [about: string, text: string];

/** The kinds that the tests before have fired. */
const fired = new Set<AlarmKind>();

interface Site {
  readonly daemon: TestDaemon;
  readonly clock: SetClock;
  /** Resolves when it was told on each channel; `stepMs` of the clock pass at a time until then. */
  told(what: What, kind: AlarmKind, subject: string, stepMs?: number): Promise<void>;
}

/** A daemon that tells its alarms to a mail server, a webhook and its folder. */
async function startSite(folder: string, { config = {}, ...options }: DaemonOptions): Promise<Site> {
  const [mail, receiver] = [await startMailServer(), await startReceiver()];
  const clock = new SetClock(join(folder, 'clock'));
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority().ca);
  const daemon = await startDaemon({
    ...options,
    nodeOptions: ['--import', resolve('test/support/set-clock.ts')],
    env: clock.env,
    config: {
      ...config,
      gateway: { settle: '100ms', rescan: '1s', requestTimeout: '10s', ...config.gateway },
      outbound: { ca, ...config.outbound },
      alarms: {
        digest: '1m',
        mail: { to: ['ops@example.com'], from: 'dropgate@example.com', server: `smtp://127.0.0.1:${mail.port}` },
        webhook: { url: `${receiver.url}/alarms` },
        ...config.alarms,
      },
    },
  });
  onTestFinished(async () => {
    await daemon[Symbol.asyncDispose]();
    await mail[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });
  const channels = channelsOf(daemon, mail, receiver);
  return {
    daemon,
    clock,
    async told(what, kind, subject, stepMs = MINUTE) {
      const tells = (lines: readonly Line[]): boolean =>
        lines.some(([about, text]) => about === `${what} ${kind}` && (subject === '' || text.startsWith(`${subject}: `)));
      const untold = (): string[] => Object.entries(channels).flatMap(([name, lines]) => (tells(lines()) ? [] : [name]));
      const toldByAll = async (): Promise<boolean> => {
        const wanting = untold();
        // What one channel tells the others tell within minutes.
        if (wanting.length > 0) await clock.pass(wanting.length < 3 ? MINUTE : stepMs);
        return wanting.length === 0;
      };
      await until(`${kind} of '${subject}' to be told as ${what}`, toldByAll, WITHIN_MS);
      fired.add(kind);
    },
  };
}

function channelsOf({ data }: TestDaemon, mail: MailServer, receiver: Receiver): Readonly<Record<string, () => Line[]>> {
  const folder = join(data, 'alarms');
  return {
    mail: () => mail.mails.flatMap((each) => linesOf(bodyOf(each))),
    webhook: () => receiver.hits.flatMap(({ json }) => WHATS.flatMap((what) => json[what]?.map(lineOf(what)) ?? [])),
    file: () =>
      (existsSync(folder) ? readdirSync(folder) : [])
        .filter((name) => name.endsWith('.txt'))
        .flatMap((name) => linesOf(readFileSync(join(folder, name), 'utf8'))),
  };
}

const lineOf =
  (what: What) =>
  ({ kind, subject, sentence }: { readonly kind: string; readonly subject: string; readonly sentence: string }): Line => [
    `${what} ${kind}`,
    `${subject}: ${sentence}`,
  ];

const KINDS_BY_HEADING = new Map<string, string>(Object.entries(ALARM_KINDS).map(([kind, heading]) => [heading, kind]));

/** What a digest tells to people. */
function linesOf(text: string): Line[] {
  let [what, kind] = ['', ''];
  return text.split('\n').flatMap((line): Line[] => {
    if (/^[A-Z]+$/.test(line)) what = line.toLowerCase();
    else if (/^ {2}\S/.test(line)) kind = KINDS_BY_HEADING.get(line.trim()) ?? line;
    else if (/^ {4}\S/.test(line)) return [[`${what} ${kind}`, line.trim()]];
    return [];
  });
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-alarms-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function drop({ daemon }: Site, name: string, bytes: Uint8Array | string): void {
  writeFileSync(daemon.home('seller', 'inbox', name), bytes);
}

const sent = (id: string, receiver = BUYER): Uint8Array => invoice({ id, receiver });

/** The seller, the buyer and somebody elsewhere, as far as they are registered. */
async function startRegister(known: ReadonlySet<string>) {
  const smp = await startSmp();
  for (const participant of [SELLER, BUYER, FAR]) smp.participants.set(participant, registered());
  const dns = await startNameServer(
    () => undefined,
    (name) => ([...known].some((each) => dnsNameOf(each, ZONE) === name) ? [naptr(smp.url)] : undefined),
  );
  onTestFinished(async () => {
    await smp[Symbol.asyncDispose]();
    await dns[Symbol.asyncDispose]();
  });
  return dns.address;
}

async function startAccessPoint(): Promise<HttpAccessPoint> {
  const ap = await startHttpAccessPoint();
  onTestFinished(() => ap[Symbol.asyncDispose]());
  ap.mode = () => 'send';
  return ap;
}

function certify(paths: { readonly cert: string; readonly key: string }, days: number): void {
  const names = { ip: ['127.0.0.1'], dns: [] };
  const { certificate, key } = certified({ name: 'core', kind: 'ec', names, until: Date.now() + days * DAY });
  writeFileSync(paths.cert, certificate);
  writeFileSync(paths.key, key);
}

it.skipIf(!canMount())('what the machine, its people and the network cause is told by mail, webhook and file, and its end', async () => {
  const folder = temporary();
  const disk = mountSmallDisk(512 * MIB);
  onTestFinished(() => disk[Symbol.dispose]());
  const known = new Set([SELLER, FAR]);
  const [dns, ap] = [await startRegister(known), await startAccessPoint()];
  const [tls, token, smpAuthorities] = [
    { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') },
    join(folder, 'ap.token'),
    join(folder, 'smp.pem'),
  ];
  certify(tls, 10);
  writeFileSync(token, AP_TOKEN);
  writeFileSync(smpAuthorities, smpSigner().authority);
  const network = { kind: 'peppol', country: 'SE', sml: ZONE, smpAuthorities, accessPoint: 'http', url: ap.url, token };
  const site = await startSite(folder, {
    accounts: SELLER_AND_BUYER,
    parent: disk.folder,
    config: {
      core: { network, tls },
      outbound: { allow: ['127.0.0.0/8'], dns: [dns] },
      gateway: { pickupAlarm: '1h' },
      alarms: { diskFree: '128MiB' },
    },
  });
  const { daemon } = site;

  await site.told('began', 'certificate', 'core.tls');
  drop(site, 'garbage.xml', 'no document');
  await site.told('happened', 'refused', 'seller');
  disk.fill(64 * MIB);
  await site.told('began', 'disk', daemon.data);
  await ap.stop();
  drop(site, 'far.xml', sent('FAR', FAR));
  drop(site, 'near.xml', sent('NEAR'));
  await daemon.receipt('seller', 'far.xml', 'accepted');
  const name = await until('a document to be fetched', () => daemon.files('buyer', 'outbox')[0]);
  await site.told('began', 'access-point-silent', '', 10 * MINUTE);
  await site.told('began', 'not-fetched', 'buyer', 10 * MINUTE);
  await site.told('began', 'registration', BUYER, HOUR);

  disk.empty();
  certify(tls, 400);
  daemon.signal('SIGHUP');
  await ap.start();
  known.add(BUYER);
  const fetched = await openSsh({ ...daemon, login: 'buyer' }, [`get outbox/${name} ${join(folder, 'fetched.xml')}`], ['-b', '-']);
  expect(fetched).toMatchObject({ status: 0 });
  await site.told('ended', 'disk', daemon.data);
  await site.told('ended', 'certificate', 'core.tls');
  await site.told('ended', 'not-fetched', 'buyer', 10 * MINUTE);
  await site.told('ended', 'access-point-silent', '', 10 * MINUTE);
  await site.told('ended', 'registration', BUYER, HOUR);

  expect((await daemon.cli(['alarm', 'test'])).status).toBe(0);
  await site.told('happened', 'test', '');
  await daemon.stop();
  for (const file of readdirSync(join(daemon.data, 'keys')).filter((each) => each.startsWith('ssh_host_ed25519'))) {
    rmSync(join(daemon.data, 'keys', file));
  }
  await daemon.start();
  await site.told('happened', 'host-key', 'ssh-ed25519');
});

it('what the service and the time cause is told by mail, webhook and file, and its end', async () => {
  const obliging: Script = ({ method }) => (method === 'POST' ? created() : { status: 204 });
  const service = await startScriptedService(obliging);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const site = await startSite(temporary(), { accounts: [], role: 'gateway', config: { service: { url: service.url } } });
  const { daemon, clock } = site;
  const added = await daemon.cli(['account', 'add', 'seller', '--remote', '--login', 'erp', '--api-key-stdin'], 'a key of the service');
  expect(added).toMatchObject({ status: 0 });
  const answering = (reply: ReturnType<Script>): void => {
    service.script = (seen) => (seen.method === 'POST' ? reply : obliging(seen));
  };

  answering(refusal(401, 'E_UNAUTHORIZED_CLIENT'));
  drop(site, 'i.xml', sent('I'));
  await site.told('began', 'service-silent', 'seller');
  answering({ status: 500 });
  await site.told('began', 'service-silent', 'seller Invoice', 10 * MINUTE);
  await site.told('ended', 'service-silent', 'seller', 10 * MINUTE);
  await site.told('began', 'held', 'seller', 15 * MINUTE);
  service.script = obliging;
  const [item = ''] = (await daemon.cli(['items', '--state', 'held'])).out.match(/[0-9a-z]{8}/) ?? [];
  expect(await daemon.cli(['resend', item])).toMatchObject({ status: 0 });
  await daemon.receipt('seller', 'i.xml', 'accepted');
  await site.told('ended', 'held', 'seller');
  await site.told('ended', 'service-silent', 'seller Invoice', 10 * MINUTE);

  for (let day = 0; day < 42; day++) {
    drop(site, `${day}.xml`, sent(`F-${day}`));
    await daemon.receipt('seller', `${day}.xml`, 'accepted');
    for (let quarters = 0; quarters < 4; quarters++) await clock.pass(6 * HOUR);
  }
  await site.told('began', 'account-silent', 'seller', 6 * HOUR);
  drop(site, 'again.xml', sent('AGAIN'));
  await daemon.receipt('seller', 'again.xml', 'accepted');
  await site.told('ended', 'account-silent', 'seller');

  await site.told('began', 'rules', 'en16931', 30 * DAY);
});

it('these are all kinds of alarms', () => {
  expect([...fired].sort()).toEqual(Object.keys(ALARM_KINDS).sort());
});

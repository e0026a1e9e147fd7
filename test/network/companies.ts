// Two companies, each with a Dropgate and a real access point, and nothing between them but what the network gives. All that is said over HTTP
// passes relays, which can be watched.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentTypeOf, qualified } from '#core/network/identifiers.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { BUYER, documentOf, SELLER } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { canonical } from '../support/libxml.ts';
import { type Service, smpSigner } from '../support/smp.ts';
import type { Installed } from './installed.ts';
import type { PhossAp } from './phoss-ap.ts';
import { type RealNetwork, startRealNetwork, TOKEN, ZONE } from './real-network.ts';
import { type Moment, startRelay } from './relay.ts';

export type CompanyName = 'seller' | 'buyer';

export interface Company {
  readonly name: CompanyName;
  readonly participant: string;
  readonly daemon: TestDaemon;
  readonly accessPoint: PhossAp;
  /** Puts a document into its inbox. */
  send(file: string, document: Uint8Array): void;
  /** Stages of the receipts of a file, in the order of the alphabet. */
  stages(file: string): string[];
  /** What its outbox holds, each by its content. */
  received(): string[];
}

/** Who answers a request: an access point, or a Dropgate. */
export type Answering = `${CompanyName} ${'access point' | 'dropgate'}`;

export interface Companies extends AsyncDisposable {
  readonly network: RealNetwork;
  readonly seller: Company;
  readonly buyer: Company;
  /** Is told of every request and answer, and may take its time. */
  watch: (who: Answering, moment: Moment, path: string) => Promise<void>;
}

const PARTIES = [
  { name: 'seller', participant: SELLER, seat: 'POP000101' },
  { name: 'buyer', participant: BUYER, seat: 'POP000102' },
] as const;

/** Both are registered for all families. */
function registered(): Service[] {
  return FAMILY_NAMES.map((name) => {
    const text = Buffer.from(documentOf(name)).toString();
    const [customization, profile] = ['CustomizationID', 'ProfileID'].map(
      (each) => new RegExp(`<cbc:${each}>([^<]+)<`).exec(text)?.[1] ?? '',
    );
    return { documentType: qualified(documentTypeOf(name, customization ?? '')), processes: [profile ?? ''] };
  });
}

export async function startCompanies(installed: Installed): Promise<Companies> {
  await using starting = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'dropgate-companies-'));
  starting.defer(() => rmSync(root, { recursive: true, force: true }));
  const file = (name: string, content: string): string => {
    writeFileSync(join(root, name), content, { mode: 0o600 });
    return join(root, name);
  };
  const watched = (who: Answering) => (moment: Moment, path: string) => companies.watch(who, moment, path);
  const places = [];
  for (const party of PARTIES) {
    const [corePort, port] = [await freePort(), await freePort()];
    const core = starting.use(await startRelay(`http://127.0.0.1:${corePort}`, watched(`${party.name} dropgate`)));
    const point = starting.use(await startRelay(`http://127.0.0.1:${port}`, watched(`${party.name} access point`)));
    places.push({ ...party, corePort, core, port, point });
  }
  const sides = places.map(({ seat, participant, core, port, point }) => {
    const backend = `${core.url}/access-point/incoming?mode=sync`;
    return { seat, participants: [participant], backend, verifier: core.url, port, address: `${point.url}/as4` };
  });
  const network = starting.use(await startRealNetwork(installed, sides, registered()));
  const settings = {
    kind: 'peppol',
    country: 'SE',
    sml: ZONE,
    smpAuthorities: file('smp.pem', smpSigner().authority),
    accessPoint: 'http',
    token: file('token', TOKEN),
    resendAfter: '10s',
  };
  const started: Company[] = [];
  for (const [at, { name, participant, corePort, point }] of places.entries()) {
    const daemon = starting.use(
      await startDaemon({
        accounts: [{ accountRegNo: name, participants: [participant], login: name }],
        config: {
          core: { listen: `127.0.0.1:${corePort}`, network: { ...settings, url: point.url } },
          outbound: { allow: ['127.0.0.0/8'], dns: [network.dns.address] },
        },
      }),
    );
    const accessPoint = network.accessPoints[at];
    if (accessPoint) started.push(companyOf(name, participant, daemon, accessPoint));
  }
  const [seller, buyer] = started;
  if (!seller || !buyer) throw new Error('two companies were asked for');
  const whole = starting.move();
  const companies: Companies = { network, seller, buyer, watch: async () => undefined, [Symbol.asyncDispose]: () => whole.disposeAsync() };
  return companies;
}

function companyOf(name: CompanyName, participant: string, daemon: TestDaemon, accessPoint: PhossAp): Company {
  return {
    name,
    participant,
    daemon,
    accessPoint,
    send: (file, document) => writeFileSync(join(daemon.home(name, 'inbox'), file), document),
    stages: (file) => {
      const found = daemon.files(name, 'receipts').filter((each) => each.startsWith(`${file}.`));
      return found.map((each) => each.split('.').at(-2) ?? '').sort();
    },
    received: () => daemon.files(name, 'outbox').map((each) => contentOf(readFileSync(join(daemon.home(name, 'outbox'), each)))),
  };
}

/** What does not change when a document is read and written anew, as access points do: not its bytes, nor white space between elements. */
export function contentOf(document: Uint8Array): string {
  return canonical(Buffer.from(document).toString('utf8'), true).toString('utf8').replaceAll(/>\s+</g, '><');
}

// Cores that know each other only by a DNS server and an SMP on loopback.

import { onTestFinished } from 'vitest';
import type { CoreOptions } from '#core/core.ts';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { removeAccount } from '#core/operate/administration.ts';
import { AP_TOKEN, type HttpAccessPoint, startHttpAccessPoint } from './access-point.ts';
import { authority } from './authority.ts';
import { calm } from './calm.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { LOCAL_NETWORK, startTestCore, type TestCore } from './core.ts';
import { BUYER, invoice, SELLER } from './documents.ts';
import { type NameServer, type Naptr, startNameServer } from './name-server.ts';
import { type Service, type Smp, smpSigner, startSmp } from './smp.ts';
import { until } from './until.ts';
import { isHandingOver } from './world/ledger-rows.ts';

export const ZONE = 'sml.test';
export const BILLING_INVOICE =
  'busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1';
export const BILLING_PROCESS = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';
export const INVOICES: Service = { documentType: BILLING_INVOICE, processes: [BILLING_PROCESS] };

export interface TestNetwork extends AsyncDisposable {
  readonly dns: NameServer;
  readonly smp: Smp;
  /** DNS names that answer otherwise than by the registrations of the SMP. */
  readonly answers: Map<string, readonly Naptr[] | 'servfail' | undefined>;
  readonly clock: ManualClock;
  /** A core with one of the two usual accounts. */
  startCore(account: 'seller' | 'buyer', network: Partial<CoreOptions['network']>, overrides?: Partial<CoreOptions>): Promise<TestCore>;
  /** Moves the clock on, whenever nothing is under way, until the condition holds. */
  wait<Value>(what: string, condition: () => Value | Promise<Value>, stepMs?: number): Promise<NonNullable<Value>>;
}

export const naptr = (url: string): Naptr => ({ order: 100, preference: 10, flags: 'U', service: 'Meta:SMP', regexp: `!.*!${url}!` });

/** Both are registered for invoices. */
export async function startNetwork(): Promise<TestNetwork> {
  const smp = await startSmp();
  const answers: TestNetwork['answers'] = new Map();
  for (const participant of [SELLER, BUYER]) smp.participants.set(participant, [INVOICES]);
  const dns = await startNameServer(
    () => undefined,
    (name) => {
      if (answers.has(name)) return answers.get(name);
      return [...smp.participants.keys()].some((each) => dnsNameOf(each, ZONE) === name) ? [naptr(smp.url)] : undefined;
    },
  );
  // Certificates of tests begin now.
  const clock = manualClock(Date.now() + 60_000);
  const cores: TestCore[] = [];
  return {
    dns,
    smp,
    answers,
    clock,
    async startCore(account, network, overrides = {}) {
      const core = await startTestCore({
        clock,
        outbound: { allow: ['127.0.0.0/8'], deny: false, ca: authority().ca, dns: [dns.address] },
        network: { ...LOCAL_NETWORK, kind: 'peppol', sml: ZONE, smpAuthorities: smpSigner().authority, country: 'SE', ...network },
        ...overrides,
      });
      cores.push(core);
      await removeAccount(core.administration, account === 'seller' ? 'buyer' : 'seller');
      return core;
    },
    wait: (what, condition, stepMs = 1_000) =>
      until(what, async () => {
        const found = await condition();
        if (!found && !(await isBusy(cores))) {
          clock.advance(stepMs);
          await calm();
        }
        return found;
      }),
    async [Symbol.asyncDispose]() {
      for (const core of cores) await core[Symbol.asyncDispose]();
      await smp[Symbol.asyncDispose]();
      await dns[Symbol.asyncDispose]();
    },
  };
}

export interface SellerBehindHttp {
  readonly network: TestNetwork;
  readonly ap: HttpAccessPoint;
  readonly core: TestCore;
  /** Sends an invoice to the buyer. */
  send(options?: Parameters<typeof invoice>[0], query?: string): ReturnType<TestCore['call']>;
  /** The status of an outgoing invoice, with what belongs to it. */
  statusOf(integrationId: string): Promise<Awaited<ReturnType<TestCore['call']>>['json']>;
  /** How often its last transmission was tried. */
  attemptsOf(integrationId: string): Promise<number>;
}

const OUT = '/transaction/seller/invoices/outgoing';

/** The seller's core before an access point that is reached by HTTP; everything ends with the test. */
export async function startSellerBehindHttp(): Promise<SellerBehindHttp> {
  const network = await startNetwork();
  const ap = await startHttpAccessPoint();
  onTestFinished(async () => {
    await network[Symbol.asyncDispose]();
    await ap[Symbol.asyncDispose]();
  });
  const core = await network.startCore('seller', { accessPoint: 'http', url: ap.url, token: AP_TOKEN });
  return {
    network,
    ap,
    core,
    send: (options = {}, query = '') => core.call(OUT + query, { body: invoice(options) }),
    statusOf: async (integrationId) => (await core.call(`${OUT}/status?integrationId=${integrationId}&includeRead=true`)).json[0].metadata,
    attemptsOf: async (integrationId) =>
      (await core.transmissions()).findLast((each) => each.integrationId === integrationId)?.attempts ?? 0,
  };
}

/** A try is under way: time that passed now would be its own. */
async function isBusy(cores: readonly TestCore[]): Promise<boolean> {
  for (const { administration } of cores) if (await isHandingOver(administration.ledger)) return true;
  return false;
}

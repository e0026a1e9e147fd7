// The seller's participants watched: what is registered for them, and time that passes until they are looked up again.
import { onTestFinished } from 'vitest';
import type { CoreOptions } from '#core/core.ts';
import { type Checked, selectChecked } from '#core/ledger/watched.ts';
import { HELD_MS } from '#core/network/watch.ts';
import { openLog } from '#runtime/log.ts';
import { AP_TOKEN } from './access-point.ts';
import { calm } from './calm.ts';
import type { TestCore } from './core.ts';
import { SELLER } from './documents.ts';
import { BILLING_INVOICE, BILLING_PROCESS, startNetwork, type TestNetwork } from './network.ts';
import { type Service, smpSigner } from './smp.ts';
import { until } from './until.ts';

export const MINUTE = 60_000;
export const BILLING_CREDIT_NOTE = BILLING_INVOICE.replace('Invoice-2::Invoice', 'CreditNote-2::CreditNote');
export const inBase64 = (pem: string): string => pem.replace(/-----[A-Z ]+-----|\s/g, '');

/** As every participant should be registered, but for what is told. */
export function registered(changes: Partial<Service> = {}): Service[] {
  return [BILLING_INVOICE, BILLING_CREDIT_NOTE].map((documentType) => ({
    documentType,
    processes: [BILLING_PROCESS],
    certificate: inBase64(smpSigner('AP').certificate),
    ...changes,
  }));
}

export interface Watch {
  readonly network: TestNetwork;
  readonly core: TestCore;
  /** Lines of the log, without those of other events. */
  readonly logged: { readonly level: string; readonly event: string; readonly [fact: string]: unknown }[];
  /** What is kept about a participant, one row for each difference. */
  rows(participant?: string): Promise<Checked[]>;
  /** Lets time pass until a participant was looked up once more. */
  nextLook(participant?: string): Promise<Checked[]>;
}

/** The seller is registered as it should be; everything ends with the test. */
export async function startWatch(settings: Partial<CoreOptions['network']> = {}): Promise<Watch> {
  const network = await startNetwork();
  onTestFinished(() => network[Symbol.asyncDispose]());
  network.smp.participants.set(SELLER, registered());
  const logged: Watch['logged'] = [];
  const log = openLog('info', {
    write: (line) => {
      const fact = JSON.parse(line);
      if (/^network\.(difference|look|watch)/.test(fact.event)) logged.push(fact);
    },
  });
  const url = 'http://127.0.0.1:9';
  const core = await network.startCore('seller', { accessPoint: 'http', url, token: AP_TOKEN, watch: 'daily', ...settings }, { log });
  const rows = async (participant = SELLER) => {
    const all = await selectChecked(core.administration.ledger.read, { accountRegNo: null, limit: 10_000 });
    return all.filter((each) => each.participant === participant);
  };
  const due = async (participant: string) => (await rows(participant))[0]?.nextLookAt ?? 0;
  return {
    network,
    core,
    logged,
    rows,
    async nextLook(participant = SELLER) {
      const before = await due(participant);
      network.clock.advance(Math.max(before - network.clock.now(), 0));
      await calm();
      network.clock.advance(MINUTE);
      // At its beginning it is held, and no time passes before its end.
      const held = network.clock.now() + HELD_MS;
      await until('the look-up', async () => ![before, held].includes(await due(participant)));
      // What it found is told after it was kept.
      await calm();
      return rows(participant);
    },
  };
}

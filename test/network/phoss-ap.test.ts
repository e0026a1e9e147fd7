// phoss-ap is held to what Dropgate relies on, as the stand-in of the tests is (test/flow/stand-in/access-point.test.ts).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { writeEnvelope } from '#core/network/envelope.ts';
import { EXACT_SCHEME, PROCESS_SCHEME } from '#core/network/identifiers.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { BILLING_INVOICE, BILLING_PROCESS, INVOICES } from '../support/network.ts';
import { until } from '../support/until.ts';
import { expectOfAccessPoint, type Subject } from './expectations.ts';
import { findInstalled } from './installed.ts';
import { statusDocument } from './message-level-status.ts';
import type { PhossAp } from './phoss-ap.ts';
import { MLS_PROCESS, MLS_TYPE, providerOf, startRealNetwork, TOKEN } from './real-network.ts';

const WITHIN_MS = 120_000;
/** Longer than its own tries are apart. */
const TRIES_MS = 5_000;
const [OURS, THEIRS] = ['POP000101', 'POP000102'];

const enveloped = (instanceId: string, sender: string, receiver: string, type: string, process: string, document: Uint8Array): Uint8Array =>
  writeEnvelope(
    {
      instanceId,
      sender,
      receiver,
      documentType: { scheme: EXACT_SCHEME, value: type.replace(`${EXACT_SCHEME}::`, '') },
      process: { scheme: PROCESS_SCHEME, value: process },
      country: 'SE',
      createdAtMs: Date.now(),
    },
    document,
  );

/** The counterpart's back end: takes everything. */
async function startTaker(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"success","countryCodeC4":"SE"}'),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function submitTo({ url }: PhossAp, envelope: Uint8Array): Promise<void> {
  const headers = { 'content-type': 'application/xml', 'x-token': TOKEN };
  const response = await fetch(`${url}/api/outbound/submit-sbd`, { method: 'POST', headers, body: Buffer.from(envelope) });
  if (response.status !== 200) throw new Error(`the counterpart could not send: ${response.status} ${await response.text()}`);
}

/** How often it has archived something that it sent. */
const archivings = (ap: PhossAp): number => ap.log().split('Archived outbound transaction').length;

const installed = findInstalled();

async function open(backendUrl: string): Promise<Subject> {
  if (!installed) throw new Error('there is no phoss-ap');

  const taker = await startTaker();
  const network = await startRealNetwork(
    installed,
    [
      { seat: OURS, participants: [SELLER], backend: backendUrl },
      { seat: THEIRS, participants: [BUYER], backend: taker.url, isSilent: true },
    ],
    [INVOICES],
  );
  const [subject, other] = network.accessPoints;
  if (!subject || !other) throw new Error('two access points were asked for');
  return {
    url: subject.url,
    token: TOKEN,
    outgoing: (instanceId) => enveloped(instanceId, SELLER, BUYER, BILLING_INVOICE, BILLING_PROCESS, invoice()),
    counterpart: async (answers) => network.reachable(1, answers),
    // It tries by itself, and says nothing of a round in which there was nothing to do.
    retries: () => pause(TRIES_MS),
    // It is asked for what is active by later expectations.
    async archives() {
      for (const mode of ['archiving', undefined] as const) {
        await subject.kill();
        const before = archivings(subject);
        await subject.start(mode);
        if (mode) await until('it to archive', () => archivings(subject) > before, WITHIN_MS);
      }
    },
    async receives(instanceId, answer) {
      const [sender, receiver] = [providerOf(THEIRS), providerOf(OURS)];
      const envelope = answer
        ? enveloped(instanceId, sender, receiver, MLS_TYPE, MLS_PROCESS, statusDocument({ ...answer, sender, receiver }))
        : enveloped(instanceId, BUYER, SELLER, BILLING_INVOICE, BILLING_PROCESS, invoice({ sender: BUYER, receiver: SELLER }));
      await submitTo(other, envelope);
    },
    async [Symbol.asyncDispose]() {
      await network[Symbol.asyncDispose]();
      await taker[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(!installed)('Held to what Dropgate relies on', () => expectOfAccessPoint('phoss-ap', open, WITHIN_MS));

// What Dropgate relies on in an access point behind HTTP, told without looking into it: the stand-in of the tests and real ones are held to
// the same. How a real one is brought to each state is for those who start it.
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRefused, type TransmissionMeta } from '#core/network/access-point.ts';
import { openHttpAccessPoint } from '#core/network/http-access-point.ts';
import { systemClock } from '#runtime/clock.ts';
import { openOutbound } from '#runtime/outbound/outbound.ts';
import { until } from '../support/until.ts';

export interface Subject extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** An envelope of this name that it can send to its counterpart. */
  outgoing(instanceId: string): Uint8Array;
  /** Whether the counterpart's access point answers from now on. */
  counterpart(answers: boolean): Promise<void>;
  /** Its own next tries are made, at the latest when this has resolved or soon after. */
  retries(): Promise<void>;
  /** Its archival runs. */
  archives(): Promise<void>;
  /** Its counterpart brings it an envelope of this name: a document, or the answer with this code to one that it has sent. */
  receives(instanceId: string, answer?: { readonly reference: string; readonly code: string }): Promise<void>;
}

/** What it forwards to, by `http_post_sync`, with the token in the header x-token. */
interface Backend extends AsyncDisposable {
  readonly url: string;
  readonly came: { readonly instanceId: string; readonly headers: IncomingMessage['headers']; readonly body: string }[];
  answer: (instanceId: string) => Promise<readonly [status: number, body: object]>;
}

const TAKEN = [200, { status: 'success', countryCodeC4: 'SE' }] as const;

async function startBackend(): Promise<Backend> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const instanceId = String(request.headers['x-sbdh-instance-id']);
    backend.came.push({ instanceId, headers: request.headers, body: Buffer.concat(pieces).toString('utf8') });
    const [status, body] = await backend.answer(instanceId);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const backend: Backend = {
    url: `http://127.0.0.1:${port}/access-point/incoming?mode=sync`,
    came: [],
    answer: async () => TAKEN,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return backend;
}

/** The envelope says all of it again, and that counts. */
const metaOf = (instanceId: string): TransmissionMeta => {
  const none = { scheme: '', value: '' };
  return { instanceId, sender: '', receiver: '', documentType: none, process: none, country: '' };
};

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** `withinMs`: how long anything may take that it does by itself. */
export function expectOfAccessPoint(name: string, open: (backendUrl: string) => Promise<Subject>, withinMs: number): void {
  describe(`an access point: ${name}`, () => {
    let backend: Backend;
    let ap: Subject;
    beforeAll(async () => {
      backend = await startBackend();
      ap = await open(backend.url);
    });
    afterAll(async () => {
      await ap[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
    });

    async function ask(path: string, init: RequestInit = {}, token = ap.token): Promise<Answer> {
      const response = await fetch(`${ap.url}${path}`, { ...init, headers: { 'content-type': 'application/xml', 'x-token': token } });
      const text = await response.text();
      const json: unknown = text.startsWith('{') ? JSON.parse(text) : {};
      return { status: response.status, text, json: { ...(json as object) } };
    }
    const submit = (body: Uint8Array | string, token?: string): Promise<Answer> =>
      ask('/api/outbound/submit-sbd', { method: 'POST', body: Buffer.from(body) }, token);
    const statusOf = (instanceId: string): Promise<Answer> => ask(`/api/outbound/status/${instanceId}?includeArchive=true`);
    const reaches = (instanceId: string, wanted: string): Promise<Answer> =>
      until(
        `${instanceId} to be ${wanted}`,
        async () => {
          const found = await statusOf(instanceId);
          return found.json.status === wanted ? found : undefined;
        },
        withinMs,
      );
    const brought = (instanceId: string) => backend.came.filter((each) => each.instanceId === instanceId);
    const bringsAgain = (instanceId: string, times: number): Promise<unknown> =>
      until(
        `${instanceId} to come ${times} times`,
        async () => {
          await ap.retries();
          return brought(instanceId).length >= times;
        },
        withinMs,
      );
    const missingCountries = (): Promise<Answer> => ask('/api/inbound/missing-c4-country-code');
    const isBroughtNoMore = async (instanceId: string): Promise<void> => {
      const { length } = brought(instanceId);
      await ap.retries();
      expect(brought(instanceId)).toHaveLength(length);
    };
    /** Names of its own in each run. */
    const fresh = (): string => crypto.randomUUID();

    it('refuses whoever does not show the token', async () => {
      const id = fresh();
      expect((await submit(ap.outgoing(id), 'wrong')).status).toBe(401);
      expect((await ask(`/api/outbound/status/${id}`, {}, 'wrong')).status).toBe(401);
      expect((await statusOf(id)).status).toBe(404);
    });

    it('sends while it is asked, and reports on that', async () => {
      const id = fresh();
      await ap.counterpart(true);
      const answer = await submit(ap.outgoing(id));
      expect(answer).toMatchObject({ status: 200, json: { sbdhInstanceIdentifier: id, sendingSuccess: true } });
      expect(await statusOf(id)).toMatchObject({ status: 200, json: { sbdhInstanceID: id, status: 'sent', attemptCount: 0 } });
    });

    it('keeps what it cannot send now, reports on that, and tries it again by itself', async () => {
      const id = fresh();
      await ap.counterpart(false);
      expect(await submit(ap.outgoing(id))).toMatchObject({ status: 422, json: { sbdhInstanceIdentifier: id, sendingSuccess: false } });
      expect((await statusOf(id)).json).toMatchObject({
        status: 'failed',
        errorDetails: expect.any(String),
        attemptCount: expect.any(Number),
      });
      await ap.counterpart(true);
      await ap.retries();
      // Of these tries it counts those that failed.
      expect((await reaches(id, 'sent')).json.attemptCount).toBeGreaterThan(0);
    });

    it.each([
      ['is no envelope', '<a/>'],
      ['cannot be read', 'not XML'],
      ['is empty', ''],
    ])('answers 400 to what %s, and keeps nothing of it', async (_, body) => {
      expect((await submit(body)).status).toBe(400);
    });

    it('says 404 of what it has never heard of', async () => {
      expect((await statusOf(fresh())).status).toBe(404);
    });

    it('sends also what was posted by somebody who did not wait for the answer', async () => {
      const id = fresh();
      const body = ap.outgoing(id);
      const { hostname, port } = new URL(ap.url);
      const head = [`POST /api/outbound/submit-sbd HTTP/1.1`, `Host: ${hostname}`, `X-Token: ${ap.token}`, 'Content-Type: application/xml'];
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(`${[...head, `Content-Length: ${body.length}`, 'Connection: close'].join('\r\n')}\r\n\r\n`);
      await new Promise<void>((ended) => socket.end(body, ended));
      await reaches(id, 'sent');
      socket.destroy();
    });

    it('finds what is done in its archive, when that is asked for, and nowhere else', async () => {
      const id = fresh();
      await submit(ap.outgoing(id));
      await ap.archives();
      await until('it to be archived', async () => (await ask(`/api/outbound/status/${id}`)).status === 404, withinMs);
      expect(await statusOf(id)).toMatchObject({ status: 200, json: { status: 'sent' } });
    });

    it('is read by Dropgate as what it says', async () => {
      const outbound = openOutbound({ allow: ['127.0.0.0/8'], deny: false, ca: null, dns: false }, systemClock);
      const adapter = openHttpAccessPoint(outbound, { url: ap.url, token: ap.token, resendAfter: 0 });
      const [good, bad] = [fresh(), fresh()];
      expect(await adapter.send(ap.outgoing(good), metaOf(good))).toEqual({ accessPointId: good, sent: true, reason: null });
      expect(await adapter.status(good)).toMatchObject({ state: 'sent', responseCode: null });
      await ap.counterpart(false);
      expect(await adapter.send(ap.outgoing(bad), metaOf(bad))).toMatchObject({ sent: false, reason: expect.any(String) });
      await ap.counterpart(true);
      expect(await adapter.status(bad)).toMatchObject({ state: expect.stringMatching(/working|sent/) });
      expect(await adapter.status(fresh())).toMatchObject({ state: 'unknown' });
      expect(isRefused(await adapter.send(Buffer.from('<a/>'), metaOf(fresh())).catch((error: unknown) => error))).toBe(true);
      await outbound.close();
    });

    it('takes the same envelope as often as it is posted, and then knows neither', async () => {
      const id = fresh();
      await ap.counterpart(false);
      expect((await submit(ap.outgoing(id))).status).toBe(422);
      expect((await submit(ap.outgoing(id))).status).toBe(422);
      expect((await statusOf(id)).status).toBe(404);
      await ap.counterpart(true);
    });

    it('forwards what it receives, by its name and with the token, and takes the country from the answer', async () => {
      const id = fresh();
      await ap.receives(id);
      const [first] = await until('it to come', () => (brought(id).length > 0 ? brought(id) : undefined), withinMs);
      expect(first?.headers).toMatchObject({ 'x-token': ap.token, 'content-type': expect.stringMatching(/^application\/xml/) });
      expect(first?.body).toContain(id);
      await isBroughtNoMore(id);
      expect(await missingCountries()).toMatchObject({ status: 200, text: '[]' });
    });

    // With `store_and_flag`: what it had only stored when it was killed comes again, and must come through.
    it('forwards again what comes to it again', async () => {
      const id = fresh();
      for (const times of [1, 2]) {
        await ap.receives(id);
        await until(`it to come ${times} times`, () => brought(id).length === times, withinMs);
      }
    });

    // phoss-ap 0.10.2 to 0.11.0 cannot write this list when it is not empty, and answers 500.
    it('does not say that it knows all countries when it was told none', async () => {
      const id = fresh();
      backend.answer = async () => [200, { status: 'success' }];
      await ap.receives(id);
      await until('it to be missing', async () => (await missingCountries()).text !== '[]', withinMs);
      backend.answer = async () => TAKEN;
    });

    it('brings nothing again that was answered with `retry: none`', async () => {
      const id = fresh();
      backend.answer = async () => [200, { status: 'error', retry: 'none', errorMessage: 'Nobody is there.' }];
      await ap.receives(id);
      await until('it to come', () => brought(id).length > 0, withinMs);
      backend.answer = async () => TAKEN;
      await isBroughtNoMore(id);
      expect(brought(id)).toHaveLength(1);
    });

    it.each([401, 422, 503])('brings again what was answered with %i', async (status) => {
      const id = fresh();
      backend.answer = async () => [status, { status: 'error' }];
      await ap.receives(id);
      await until('it to come', () => brought(id).length > 0, withinMs);
      backend.answer = async () => TAKEN;
      await bringsAgain(id, 2);
      await isBroughtNoMore(id);
    });

    it.each([
      ['AP', 'received_ap'],
      ['AB', 'received_ab'],
      ['RE', 'received_re'],
    ])('tells the code %s of an answer to what it has sent before it forwards the answer', async (code, mlsStatus) => {
      const [id, answer] = [fresh(), fresh()];
      await submit(ap.outgoing(id));
      expect((await statusOf(id)).json.mlsStatus).toBe('pending');
      const known: unknown[] = [];
      backend.answer = async (instanceId) => {
        if (instanceId === answer) known.push((await statusOf(id)).json.mlsStatus);
        return TAKEN;
      };
      await ap.receives(answer, { reference: id, code });
      await until('the answer', () => known.length > 0, withinMs);
      expect(known).toEqual([mlsStatus]);
      backend.answer = async () => TAKEN;
    });
  });
}

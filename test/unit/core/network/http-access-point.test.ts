// What an answer of an access point means: only its own word that it has never heard of a document lets it be sent once more.
import { describe, expect, it } from 'vitest';
import { isNotTaken, isRefused } from '#core/network/access-point.ts';
import { openHttpAccessPoint } from '#core/network/http-access-point.ts';
import { AppError } from '#domain/error.ts';
import type { OutboundRequest } from '#runtime/outbound/outbound.ts';

const META = {
  instanceId: 'an-id',
  sender: '0088:1',
  receiver: '0088:2',
  documentType: { scheme: 's', value: 'v' },
  process: { scheme: 's', value: 'p' },
  country: 'SE',
};

/** An access point that answers everything like this, and what it was asked. */
function answering(status: number, body: unknown, cut = false) {
  const asked: OutboundRequest[] = [];
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const request = async (given: OutboundRequest) => {
    asked.push(given);
    return { status, headers: new Map(), body: bytes, cut };
  };
  return Object.assign(openHttpAccessPoint({ request }, { url: 'https://ap.example', token: null, resendAfter: 1 }), { asked });
}

describe('asked what became of a document', () => {
  const progress = (state: string, reason: string | null = null, responseCode: string | null = null) => ({ state, reason, responseCode });
  it.each([
    [404, '', progress('unknown')],
    [200, { status: 'pending' }, progress('stored')],
    [200, { status: 'sending' }, progress('working')],
    [200, { status: 'failed', errorDetails: 'no route' }, progress('working', 'no route')],
    [200, { status: 'something new' }, progress('working')],
    [200, { status: 'sent' }, progress('sent')],
    [200, { status: 'sent', mlsStatus: 'pending' }, progress('sent')],
    [200, { status: 'sent', mlsStatus: 'not_applicable' }, progress('sent')],
    [200, { status: 'sent', mlsStatus: 'received_ap' }, progress('sent', null, 'AP')],
    [200, { status: 'sent', mlsStatus: 'received_ab' }, progress('sent', null, 'AB')],
    [200, { status: 'sent', mlsStatus: 'received_re' }, progress('sent', null, 'RE')],
    [200, { status: 'sent', mlsStatus: null, errorDetails: '' }, progress('sent')],
    [200, { status: 'rejected', errorDetails: 'no' }, progress('failed', 'no')],
    [200, { status: 'permanently_failed' }, progress('failed')],
  ])('%i %j is an answer', async (status, body, expected) => {
    expect(await answering(status, body).status('an-id')).toEqual(expected);
  });

  it('looks into the archive, too: what is done is found nowhere else', async () => {
    const ap = answering(404, '');
    await ap.status('a/b');
    expect(ap.asked[0]?.url).toBe('https://ap.example/api/outbound/status/a%2Fb?includeArchive=true');
  });

  it.each([
    [200, '<html>'],
    [200, {}],
    [200, { status: 5 }],
    [200, { status: 'sent', mlsStatus: {} }],
    [200, { status: 'sent', errorDetails: ['x'] }],
    [204, ''],
    [302, ''],
    [400, { status: 'sent' }],
    [401, ''],
    [403, ''],
    [410, ''],
    [429, ''],
    [500, { status: 'sent' }],
    [503, ''],
  ])('%i %j tells nothing: it is asked again, and nothing is sent', async (status, body) => {
    await expect(answering(status, body).status('an-id')).rejects.toMatchObject({ code: 'internal' });
  });

  it('an answer that was cut tells nothing', async () => {
    await expect(answering(200, { status: 'sent' }, true).status('an-id')).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('given a document', () => {
  const report = (changes: object = {}) => ({ sbdhInstanceIdentifier: 'an-id', sendingSuccess: true, overallSuccess: true, ...changes });
  it.each([
    [200, report(), true, null],
    [422, report({ sendingSuccess: false, sendingError: 'no AS4 answer' }), false, 'no AS4 answer'],
    [422, report({ sendingSuccess: false, lookupError: 'x'.repeat(2_000) }), false, 'x'.repeat(1_000)],
    // It was sent; only its own reporting failed.
    [422, report({ overallSuccess: false }), true, null],
  ])('%i %j: it has it', async (status, body, sent, reason) => {
    expect(await answering(status, body).send(Buffer.from('<a/>'), META)).toEqual({ accessPointId: 'an-id', sent, reason });
  });

  const sentTo = (ap: ReturnType<typeof answering>) =>
    ap.send(Buffer.from('<a/>'), META).then(
      () => expect.unreachable('it was taken'),
      (error: unknown) => error,
    );

  it.each([400, 401, 403, 404, 405, 413, 429])('%i: it has nothing of it; it may be given it again', async (status) => {
    const error = await sentTo(answering(status, 'Failed to submit outbound SBD transaction'));
    expect([isNotTaken(error), isRefused(error)]).toEqual([true, status === 400]);
  });

  it.each([
    [401, 'core.network.token'],
    [404, 'peppol.sending.enabled'],
    [400, 'its log says which'],
  ])('%i says what to do: %s', async (status, advice) => {
    expect(await sentTo(answering(status, ''))).toMatchObject({ message: expect.stringContaining(advice) });
  });

  it.each([
    [200, '<html>'],
    [200, { status: 'queued' }],
    [200, report({ sbdhInstanceIdentifier: 'of another' })],
    [200, report({ sendingSuccess: 'yes' })],
    [202, report()],
    [302, ''],
    [422, 'Failed to submit outbound transaction'],
    [500, report()],
    [502, ''],
    [503, ''],
    [504, ''],
  ])('%i %j: nobody knows whether it has it', async (status, body) => {
    const error = await sentTo(answering(status, body));
    expect(error).toBeInstanceOf(AppError);
    expect(isNotTaken(error)).toBe(false);
  });

  it('a report that was cut, or is too large to be read, says nothing', async () => {
    expect(isNotTaken(await sentTo(answering(200, report(), true)))).toBe(false);
  });
});

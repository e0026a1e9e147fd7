// What an answer of an access point means: only its own word that it has never heard of a document lets it be sent once more.
import { describe, expect, it } from 'vitest';
import { openHttpAccessPoint } from '#core/network/http-access-point.ts';

const META = {
  instanceId: 'an-id',
  sender: '0088:1',
  receiver: '0088:2',
  documentType: { scheme: 's', value: 'v' },
  process: { scheme: 's', value: 'p' },
  country: 'SE',
};

/** An access point that answers everything like this. */
function answering(status: number, body: unknown) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const request = async () => ({ status, headers: new Map(), body: bytes, cut: false });
  return openHttpAccessPoint({ request }, { url: 'https://ap.example', token: null });
}

describe('asked what became of a document', () => {
  it.each([
    [404, '', { state: 'unknown', reason: null }],
    [200, { status: 'sent' }, { state: 'sent', reason: null }],
    [200, { status: 'sent', mlsStatus: 'received_ap' }, { state: 'delivered', reason: null }],
    [200, { status: 'sent', mlsStatus: 'received_ab' }, { state: 'delivered', reason: null }],
    [200, { status: 'sent', mlsStatus: 'received_re', errorDetails: 'BR-01' }, { state: 'rejected', reason: 'BR-01' }],
    [200, { status: 'sent', mlsStatus: null, errorDetails: '' }, { state: 'sent', reason: null }],
    [200, { status: 'rejected', errorDetails: 'no' }, { state: 'failed', reason: 'no' }],
    [200, { status: 'permanently_failed' }, { state: 'failed', reason: null }],
    [200, { status: 'failed' }, { state: 'working', reason: null }],
    [200, { status: 'pending' }, { state: 'working', reason: null }],
  ])('%i %j is an answer', async (status, body, progress) => {
    expect(await answering(status, body).status('an-id')).toEqual(progress);
  });

  it.each([
    [200, '<html>'],
    [200, {}],
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
});

describe('given a document', () => {
  it.each([
    [200, { status: 'queued' }, 'an-id'],
    [200, { status: 'queued', sbdhInstanceID: 'its own' }, 'its own'],
    [202, { status: 'queued', sbdhInstanceID: '' }, 'an-id'],
  ])('%i %j has taken it', async (status, body, id) => {
    expect(await answering(status, body).send(Buffer.from('<a/>'), META)).toBe(id);
  });

  it.each([
    [200, { status: 'not_queued' }],
    [200, '<html>'],
    [199, { status: 'queued' }],
    [300, { status: 'queued' }],
    [400, { status: 'queued' }],
    [500, { status: 'queued' }],
  ])('%i %j has not: it is tried again', async (status, body) => {
    await expect(answering(status, body).send(Buffer.from('<a/>'), META)).rejects.toMatchObject({ code: 'internal' });
  });
});

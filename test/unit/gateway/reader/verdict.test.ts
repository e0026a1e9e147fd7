// What a judgement that came with the head is worth: it saves judging the same bytes again, and nothing else.
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { dayOf } from '#domain/day.ts';
import { fatal } from '#domain/document.ts';
import type { Stranger } from '#gateway/model/account.ts';
import { readingBeside } from '#gateway/reader/reading.ts';
import { verdictOn } from '#gateway/reader/verdict.ts';
import type { Judgement } from '#rules/judged-head.ts';
import { readHead } from '#ubl/head.ts';
import { invoice, invoiceOfSize, SELLER } from '../../../support/documents.ts';

const HOME = 'acme-ab';
const NOW = Date.UTC(2026, 5, 1, 12);
const TODAY = dayOf(NOW);
const TOLD = [fatal('TOLD', 'This is what the service said.')];

function wrong(bytes: Uint8Array): Buffer {
  const text = Buffer.from(bytes).toString();
  return Buffer.from(text.replace(/(<cbc:PayableAmount[^>]*>)[\d.]+/, '$199.99'));
}

/** The rules that the verdict names, where the service judges as it is told; null where there is nothing against the document. */
async function rules(bytes: Buffer, judgement: Judgement | null, owner: string | Stranger = HOME): Promise<readonly string[] | null> {
  const service = async () => ({ ...readHead(bytes), ...(judgement && { judgement }) });
  const parts = {
    inspect: readingBeside(service).inspect,
    accounts: { ownerOf: async () => owner },
    clock: { now: () => NOW },
  };
  const refusal = await verdictOn(parts, { home: HOME, accountRegNo: HOME, sha256: hash('sha256', bytes) }, bytes);
  expect(refusal?.head ?? {}).not.toHaveProperty('judgement');
  return refusal && (refusal.outcome.findings ?? []).map(({ rule }) => rule);
}

describe('a judgement of the service', () => {
  const right = Buffer.from(invoice());

  it('by the rules of today is the verdict: the document is not judged again', async () => {
    expect(await rules(right, { day: TODAY, refusing: TOLD })).toEqual(['TOLD']);
    expect(await rules(wrong(right), { day: TODAY, refusing: [] })).toBe(null);
  });

  it('by the rules of another day is not used', async () => {
    expect(await rules(right, { day: '2026-05-31', refusing: TOLD })).toBe(null);
    expect(await rules(wrong(right), { day: '2026-05-31', refusing: [] })).toContain('BR-CO-16');
  });

  it('is not there where the service only reads, and not asked for of a long document: both are judged here', async () => {
    expect(await rules(wrong(right), null)).toContain('BR-CO-16');
    const long = Buffer.from(invoiceOfSize(300_000));
    expect(await rules(long, { day: TODAY, refusing: TOLD })).toBe(null);
    expect(await rules(wrong(long), { day: TODAY, refusing: [] })).toContain('BR-CO-16');
  });

  it('says nothing about whose the document is: a sender of another account is refused all the same', async () => {
    const dropped = { accountRegNo: HOME, folder: '' };
    expect(await rules(right, { day: TODAY, refusing: [] }, { sender: SELLER, belongsTo: null, dropped, addresses: [] })).toEqual([]);
  });
});

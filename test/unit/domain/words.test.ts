// The words of the domain: families, participants, names, ids, receipts, retries.
import { describe, expect, it } from 'vitest';
import { checkedName } from '#domain/account.ts';
import { FAMILIES, familyOfRoot, familyOfSegment } from '#domain/family.ts';
import { base32, itemIds, shortId } from '#domain/id.ts';
import { glnCheckDigit, isGln, parseParticipant, participantOf } from '#domain/participant.ts';
import { type Receipt, receiptName, renderReceipt } from '#domain/receipt.ts';
import { UNKNOWN_WAITS_MS, waitAfter } from '#domain/retry.ts';
import { randomOf } from '../../support/random.ts';

describe('families', () => {
  it('there are eight, each found by its root and by its segment however that is spelled', () => {
    expect(FAMILIES).toHaveLength(8);
    for (const family of FAMILIES) {
      expect(familyOfRoot(family.name)).toBe(family);
      expect(familyOfSegment(family.segment)).toBe(family);
      expect(familyOfSegment(family.segment.replaceAll('-', '').toUpperCase())).toBe(family);
    }
    expect(familyOfSegment('quotations')).toBeUndefined();
  });

  it('S063 a despatch advice is created under catalogue_id first', () => {
    expect(familyOfRoot('DespatchAdvice')?.idKeys).toEqual(['catalogue_id', 'despatchadvice_id']);
  });
});

describe('participants', () => {
  it('values do not tell upper from lower case', () => {
    expect(participantOf('9930', 'DE123')).toBe('9930:de123');
  });
  it.each([
    ['007', '1'],
    ['00077', '1'],
    ['0007', ''],
    ['0007', 'a b'],
    [undefined, '1'],
    ['0007', undefined],
  ])('%s:%s is none', (scheme, value) => {
    expect(participantOf(scheme, value)).toBeUndefined();
  });
  it('a GLN has a check digit', () => {
    expect(glnCheckDigit('730001000000')).toBe('1');
    expect(isGln('7300010000001')).toBe(true);
    expect(isGln('7300010000002')).toBe(false);
    expect(() => parseParticipant('0088:7300010000002')).toThrow('check digit');
    expect(parseParticipant('0007:5567321707')).toBe('0007:5567321707');
  });
});

describe('names', () => {
  it.each(['acme-ab', 'A', '5567321707', 'se.acme_1'])('%s is allowed', (name) => expect(checkedName('accountRegNo', name)).toBe(name));
  it.each(['', '.', '..', '../x', 'a/b', 'a\\b', 'a b', '-a', 'a.', 'å', 'receiving', 'CON', 'nul.x', 'a'.repeat(65), 'a~b', 'a\0'])(
    '%j is refused',
    (name) => {
      expect(() => checkedName('accountRegNo', name)).toThrow('is not allowed');
    },
  );
});

describe('item ids', () => {
  it('sort in the order in which they were made, also within a millisecond and when the clock steps back', () => {
    const times = [5, 5, 5, 6, 2, 2, 7];
    const random = randomOf(1);
    let at = 0;
    const newId = itemIds(
      () => times[Math.min(at++, times.length - 1)] ?? 0,
      // Of a seed: of 40,000 true draws two ends are alike now and then.
      (bytes) => Uint8Array.from({ length: bytes }, () => random(0, 255)),
    );
    const ids = Array.from({ length: 40_000 }, newId);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids.map(shortId)).size).toBe(ids.length);
    expect(ids[0]).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });
  it('base 32 keeps every bit', () => {
    expect(base32(new Uint8Array([255, 0, 255]))).toBe('ZW0FY');
  });
});

const RECEIPT: Receipt = {
  receipt: 1,
  stage: 'refused',
  action: 'fix',
  code: 'rule',
  file: 'i.xml',
  sha256: 'ab',
  receivedAt: '2026-11-21T10:00:00.000Z',
  at: '2026-11-21T10:00:02.000Z',
  accountRegNo: 'acme-ab',
  family: 'Invoice',
  documentId: '1',
  sender: null,
  receiver: null,
  integrationId: null,
  message: 'one\nline',
  findings: [{ rule: 'BR-02', severity: 'fatal', message: 'An invoice has a number.' }],
  error: { status: 422, type: 'E_VALIDATION', data: 'no' },
  answer: { kind: 'mls', code: 'RE', text: 'two\nlines', at: '2026-11-21T10:05:00.000Z' },
};

describe('receipts', () => {
  it('as JSON are the receipt itself', () => {
    expect(JSON.parse(renderReceipt(RECEIPT, 'json'))).toEqual(RECEIPT);
    expect(receiptName('i.xml', 'abc', 'refused', 'json')).toBe('i.xml.abc.refused.json');
  });
  it('as text tell other places of a finding, and what follows from it', () => {
    const [finding] = RECEIPT.findings;
    if (!finding) throw new RangeError('a receipt without a finding');
    const findings = [{ ...finding, rules: ['R1', 'R2'], places: [{ path: '/Invoice/cbc:ID', line: 3 }], follows: [finding] }];
    const lines = renderReceipt({ ...RECEIPT, findings, error: null }, 'text')
      .trimEnd()
      .split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['finding.1.rules=R1 R2', 'finding.1.place.1.path=/Invoice/cbc:ID', 'finding.1.place.1.line=3']),
    );
    expect(lines).toContain('finding.1.follow.1.rule=BR-02');
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });
  it('as text are one key=value a line, nothing where nothing is', () => {
    const lines = renderReceipt(RECEIPT, 'text').trimEnd().split('\n');
    expect(lines).toContain('action=fix');
    expect(lines).toContain('sender=');
    expect(lines).toContain('message=one line');
    expect(lines).toContain('finding.1.rule=BR-02');
    expect(lines).toContain('error.status=422');
    expect(lines).toContain('answer.code=RE');
    expect(lines).toContain('answer.text=two lines');
    expect(receiptName('i.xml', 'abc', 'refused', 'text')).toBe('i.xml.abc.refused.txt');
  });
});

describe('receipts as a table', () => {
  const cells = (text: string): string[][] =>
    text
      .trimEnd()
      .split('\r\n')
      .map((row) =>
        [...row.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)]
          .slice(0, COLUMNS_COUNT)
          .map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? ''),
      );
  const COLUMNS_COUNT = 31;

  it('have a row for each finding, with what follows from it, and one without any', () => {
    const [finding] = RECEIPT.findings;
    if (!finding) throw new RangeError('a receipt without a finding');
    const follows = [{ ...finding, rule: 'BR-03', message: 'one, two "three"' }];
    const [names = [], first = [], second = [], ...more] = cells(renderReceipt({ ...RECEIPT, findings: [{ ...finding, follows }] }, 'csv'));
    expect(names).toHaveLength(COLUMNS_COUNT);
    const at = (row: string[], name: string): string | undefined => row[names.indexOf(name)];
    expect(['stage', 'code', 'documentId', 'finding.rule', 'error.status', 'answer.code'].map((name) => at(first, name))).toEqual([
      'refused',
      'rule',
      '1',
      'BR-02',
      '422',
      'RE',
    ]);
    expect([at(second, 'finding.rule'), at(second, 'finding.message')]).toEqual(['BR-03', 'one, two "three"']);
    expect(more).toEqual([]);
    expect(cells(renderReceipt({ ...RECEIPT, findings: [] }, 'csv'))).toHaveLength(2);
    expect(receiptName('i.xml', 'abc', 'refused', 'csv')).toBe('i.xml.abc.refused.csv');
  });

  it.each(['=1+1', '+cmd', '-2', '@SUM(A1)', ' =1', '\t=1', '\r\n=1', '\uff1d1'])(
    'neutralise what a table program takes for a formula: %j',
    (file) => {
      const text = renderReceipt({ ...RECEIPT, file, message: `;${file}` }, 'csv');
      const [names = [], row = []] = cells(text);
      expect(row[names.indexOf('file')]).toMatch(/^'/);
      expect(text.split('\r\n')).toHaveLength(3);
    },
  );
});

describe('receipts of what others wrote', () => {
  const message = 'a\u000bstage=accepted\u0085stage=accepted\u2028stage=accepted\u001b[2J\u009b\u202e';
  const receipt: Receipt = { ...RECEIPT, message, file: message, findings: [{ rule: 'R', severity: 'fatal', message, value: message }] };

  it('as text have no lines but ours, whatever a reader takes for a line end', () => {
    const text = renderReceipt(receipt, 'text');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(text.match(/^stage=.*/gm)).toEqual(['stage=refused']);
  });
  it('as JSON hold nothing that a terminal obeys', () => {
    const text = renderReceipt(receipt, 'json');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(JSON.parse(text)).toEqual(receipt);
  });
});

it('the last wait of a ladder repeats', () => {
  expect([1, 2, 6, 7, 100].map((tries) => waitAfter(UNKNOWN_WAITS_MS, tries))).toEqual([5_000, 15_000, 900_000, 900_000, 900_000]);
});

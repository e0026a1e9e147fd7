// Receipts in each of their forms.
import { describe, expect, it } from 'vitest';
import { NETWORK_STAGES, type Receipt, receiptName, type Stage } from '#domain/receipt.ts';
import { renderReceipt } from '#gateway/publish/write-receipt.ts';
import { validate } from '#rules/validate.ts';

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
  const COLUMNS_COUNT = 36;

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

describe('receipts as documents of UBL', () => {
  const [finding] = RECEIPT.findings;
  const warned = { rule: 'W-1', severity: 'warning', message: 'a\u0000 < b & \ud800', path: '/Invoice/cbc:Note' } as const;
  const findings = finding ? [{ ...finding, follows: [warned] }] : [];
  const known: Receipt = { ...RECEIPT, sender: '0088:7300010000001', receiver: '9925:be0123456749', message: 'one\u0007\nline', findings };
  const STAGES: readonly Stage[] = [
    'accepted',
    'refused',
    'duplicate',
    'delayed',
    'held',
    'waiting',
    'cancelled',
    'turned-away',
    'tested',
    ...NETWORK_STAGES,
  ];
  const validated = (receipt: Receipt) => validate(Buffer.from(renderReceipt(receipt, 'ubl')), { day: '2026-11-21' });
  const VALID = { valid: true, broken: false, profile: 'mlr', findings: [], untold: 0 };

  it.each(STAGES)('%s is valid by our own rules', async (stage) => {
    expect(await validated({ ...known, stage })).toEqual(VALID);
  });

  it('with a suggested repair, and with all that others said, are valid by our own rules', async () => {
    const changes = [{ path: '/Invoice/cbc:IssueDate', from: '31.05.2026', to: '2026-05-31' }];
    expect(await validated({ ...known, suggested: { file: 'i.suggested.xml', changes } })).toEqual(VALID);
  });

  it('of a test say whether the document would be accepted', () => {
    const tested = (code: Receipt['code']) => renderReceipt({ ...known, stage: 'tested', code, findings: [] }, 'ubl');
    expect(tested(null)).toContain('<cac:Response><cbc:ResponseCode>AP<');
    expect(tested('rule')).toContain('<cac:Response><cbc:ResponseCode>RE<');
  });

  it('say what was found, and of which document', () => {
    const text = renderReceipt(known, 'ubl');
    for (const piece of [
      '<cac:SenderParty><cbc:EndpointID schemeID="9925">be0123456749</cbc:EndpointID></cac:SenderParty>',
      '<cac:ReceiverParty><cbc:EndpointID schemeID="0088">7300010000001</cbc:EndpointID></cac:ReceiverParty>',
      '<cbc:ResponseCode>RE</cbc:ResponseCode><cbc:Description>one\\u0007\nline</cbc:Description>',
      '<cac:DocumentReference><cbc:ID>1</cbc:ID></cac:DocumentReference>',
      '<cbc:LineID>NA</cbc:LineID>',
      '<cbc:Description>BR-02: An invoice has a number.</cbc:Description><cac:Status><cbc:StatusReasonCode>BV</cbc:StatusReasonCode>',
      '<cbc:LineID>/Invoice/cbc:Note</cbc:LineID>',
      '<cbc:Description>W-1: a\\u0000 &lt; b &amp; \ufffd</cbc:Description><cac:Status><cbc:StatusReasonCode>BW</cbc:StatusReasonCode>',
    ]) {
      expect(text).toContain(piece);
    }
    expect(receiptName('i.xml', 'abc', 'refused', 'ubl')).toBe('i.xml.abc.refused.xml');
  });

  // It would not be valid by the profile: docs/erp.md says so.
  it.each([
    ['both addresses', { sender: null, receiver: null }],
    ['the receiver', { receiver: null }],
    ['the sender', { sender: null }],
    ['a scheme that Peppol has', { receiver: '9999:123' }],
  ])('state no profile without %s, and are of the right structure all the same', async (_, parties) => {
    const receipt: Receipt = { ...known, findings: [], documentId: null, sha256: '', file: '\u0001', ...parties };
    const { broken, profile, findings: wrong } = await validated(receipt);
    expect({ broken, profile, wrong: wrong.map(({ rule }) => rule) }).toEqual({ broken: false, profile: null, wrong: ['unknown-profile'] });
    expect(renderReceipt(receipt, 'ubl')).toContain('<cac:DocumentReference><cbc:ID>\\u0001</cbc:ID></cac:DocumentReference>');
  });
});

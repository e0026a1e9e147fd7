import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Examiner, openExaminer } from '#core/examination/examiner.ts';
import { updateCoreAccount } from '#core/operate/administration.ts';
import type { AppError } from '#domain/error.ts';
import { STRICT, type Validation } from '#domain/validation.ts';
import { isRefusedHere, type Judgement } from '#rules/judged-head.ts';
import { validate } from '#rules/validate.ts';
import { type ReadHead, readHead } from '#ubl/head.ts';
import { readTree } from '#ubl/read.ts';
import { jsonOf } from '#ubl/write-json.ts';
import { silent, startTestCore, type TestCore } from '../../../support/core.ts';
import { BUYER, documentOf, invoice, SELLER } from '../../../support/documents.ts';
import { answerDocument, envelopeOf, MLS } from '../../../support/network-answers.ts';

const OUT = '/transaction/seller/invoices/outgoing';

let test: TestCore;
beforeAll(async () => {
  test = await startTestCore();
});
afterAll(async () => await test[Symbol.asyncDispose]());

let last = 0;
const fresh = (): string => `V-${++last}`;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const xml = (change: (text: string) => string): string => change(text(invoice({ id: fresh() })));

/** The total with VAT is wrong by one. */
const miscalculated = (): string =>
  xml((all) => all.replace(/(<cbc:TaxInclusiveAmount currencyID="SEK">)(\d+)/, (_, tag, amount) => `${tag}${Number(amount) + 1}`));
const ofNoProfile = (): string => xml((all) => all.replace(/<cbc:CustomizationID>[^<]*/, '<cbc:CustomizationID>urn:example:own'));
const misspelt = (): string => xml((all) => all.replace('poacc:billing:3.0', 'poacc:billing:4.0'));
const unstructured = (): string => xml((all) => all.replace('<cbc:IssueDate>', '<cbc:Unheard>1</cbc:Unheard><cbc:IssueDate>'));

async function judged(validation: Partial<Validation>, body: string) {
  await updateCoreAccount(test.administration, 'seller', { validation: { ...STRICT, ...validation } });
  return test.call(OUT, { body });
}

describe('the validation of what is posted', () => {
  it('S020 S021 S296 refuses what breaks a rule, with the figures, the place and what to do', async () => {
    const { status, json } = await judged({}, miscalculated());
    expect([status, json.type]).toEqual([422, 'E_VALIDATION']);
    const [finding] = json.metadata.details.filter(({ rule }: { rule: string }) => rule === 'BR-CO-15');
    expect(finding).toMatchObject({ severity: 'fatal', line: expect.any(Number), column: expect.any(Number) });
    expect(finding.message).toMatch(/\d\.\d\d.*\d\.\d\d/);
    expect(json.metadata.description).toContain(finding.message);
  });

  it('takes it with warnings where the account says so, and tells them with the success', async () => {
    const { status, json } = await judged({ severity: 'warn' }, miscalculated());
    expect(status).toBe(200);
    expect(json.metadata.warnings).toContainEqual(expect.objectContaining({ rule: 'BR-CO-15', severity: 'warning' }));
  });

  it('refuses what breaks a rule however many warnings stand before it', async () => {
    const unused = [
      '<cbc:CopyIndicator>false</cbc:CopyIndicator><cbc:UUID>1</cbc:UUID><cbc:IssueDate>2026-01-01</cbc:IssueDate><cbc:IssueTime>10:00:00</cbc:IssueTime>',
      ...['DocumentType', 'XPath', 'LanguageID', 'LocaleCode', 'VersionID', 'DocumentStatusCode'].map(
        (name) => `<cbc:${name}>x</cbc:${name}>`,
      ),
    ].join('');
    const reference = `<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID>${unused}</cac:AdditionalDocumentReference>`;
    const warned = (all: string) => all.replace('<cac:AccountingSupplierParty>', `${reference.repeat(60)}$&`);
    const { status: taken, json } = await judged({}, xml(warned));
    expect([taken, json.metadata.warnings.length]).toEqual([200, 200]);
    const { status } = await judged(
      {},
      xml((all) => warned(all).replaceAll(/unitCode="[^"]*"/g, 'unitCode="QQQ"')),
    );
    expect(status).toBe(422);
  });

  it('says nothing of warnings where there are none', async () => {
    const { status, json } = await judged(
      {},
      xml((all) => all),
    );
    expect([status, json.metadata]).toEqual([200, undefined]);
  });

  it('refuses a profile that we have no rules for, and names those that we have', async () => {
    const { status, json } = await judged({}, ofNoProfile());
    expect(status).toBe(422);
    expect(json.metadata.details).toMatchObject([
      { rule: 'unknown-profile', path: '/Invoice/cbc:CustomizationID', value: 'urn:example:own' },
    ]);
    expect(json.data).toContain('urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0');
  });

  it('takes it where any profile is allowed', async () => {
    const { status, json } = await judged({ profiles: 'any' }, ofNoProfile());
    expect(status).toBe(200);
    expect(json.metadata.warnings).toMatchObject([{ rule: 'unknown-profile', severity: 'warning' }]);
  });

  it('refuses a profile that is misspelt, and warns of it where any profile is allowed', async () => {
    const refused = await judged({}, misspelt());
    expect([refused.status, refused.json.metadata.details]).toMatchObject([422, [{ rule: 'unknown-profile' }]]);
    const taken = await judged({ profiles: 'any' }, misspelt());
    expect([taken.status, taken.json.metadata.warnings]).toMatchObject([200, [{ rule: 'unknown-profile', severity: 'warning' }]]);
  });

  it('takes XML with processing instructions, and knows it again without them', async () => {
    const plain = xml((all) => all);
    const styled = plain
      .replace(/(\?>)/, '$1\n<?xml-stylesheet type="text/xsl" href="invoice.xsl"?>')
      .replace('</cac:Party>', '$&<?mark?>');
    expect((await judged({}, styled)).status).toBe(200);
    expect(readHead(new TextEncoder().encode(styled))).toEqual(readHead(new TextEncoder().encode(plain)));
    expect((await judged({}, styled.replace('<cbc:ID>', '$&<?mark?>'))).json.data).toContain('inside a value; remove it');
  });

  it('refuses a broken structure whatever the account says', async () => {
    const { status, json } = await judged({ severity: 'warn', profiles: 'any' }, unstructured());
    expect(status).toBe(422);
    expect(json.metadata.details).toMatchObject([{ rule: 'ubl-element', path: '/Invoice/cbc:Unheard' }]);
  });

  it('answers in XML with the same details', async () => {
    await updateCoreAccount(test.administration, 'seller', { validation: STRICT });
    const { status, text: answer } = await test.call(OUT, { body: miscalculated(), accept: 'application/xml' });
    expect(status).toBe(422);
    expect(answer).toContain('<rule>BR-CO-15</rule>');
  });
});

describe('the examining threads', () => {
  const submission = (body: Uint8Array) => ({ family: 'Invoice', notation: 'xml', body, validation: STRICT, day: '2026-06-01' }) as const;
  const json = (body: Uint8Array): Uint8Array => new TextEncoder().encode(`{"Invoice":${jsonOf(readTree(body))}}`);
  /** Gives the thread as much to do as it takes. */
  const fill = ({ examine }: Examiner) => Array.from({ length: 5 }, () => examine(submission(invoice({ id: fresh() }))));

  it('answer as examining in place does, small and large ones beside each other', async () => {
    const examiner = openExaminer(silent);
    try {
      const large = invoice({ attachmentBytes: 600_000 });
      const answers = await Promise.allSettled([
        examiner.examine(submission(large)),
        examiner.examine(submission(invoice())),
        examiner.examine(submission(documentOf('Order'))),
        examiner.examine(submission(new TextEncoder().encode('<Invoice'))),
      ]);
      expect(answers).toMatchObject([
        { status: 'fulfilled', value: { head: { documentId: '1001' } } },
        { status: 'fulfilled', value: { head: { documentId: '1001' } } },
        { status: 'rejected', reason: { code: 'invalid', facts: { details: [{ rule: 'family' }] } } },
        { status: 'rejected', reason: { code: 'unreadable' } },
      ]);
    } finally {
      await examiner.close();
    }
  });

  it('tell what a document is before it is sent, as reading it here does', async () => {
    const examiner = openExaminer(silent);
    const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);
    try {
      const documents = [
        invoice(),
        json(invoice()),
        documentOf('Order'),
        envelopeOf(invoice(), { instanceId: 'one', sender: BUYER, receiver: SELLER }),
        bytes(miscalculated()),
        bytes(xml((all) => all.replace(/<cbc:EndpointID[^/]*\/cbc:EndpointID>/, ''))),
        invoice().subarray(0, 2_000),
        bytes('[{}]'),
        bytes(''),
      ];
      const told = (read: (body: Uint8Array) => Promise<ReadHead>) =>
        Promise.all(
          documents.map((body) =>
            // What can be read of a broken head is for receipts: the gateway reads it itself.
            read(body).catch(({ code, message, facts: { seenHead: _, ...facts } }: AppError) => ({ code, message, facts })),
          ),
        );
      const here = await told(async (body) => readHead(body));
      const read = async (body: Uint8Array): Promise<ReadHead> => {
        const { judgement: _, ...head } = await examiner.readHead({ body, day: '2026-06-01' });
        return head;
      };
      expect(await told(read)).toEqual(here);
    } finally {
      await examiner.close();
    }
  });

  it('tell with it what judging alone says of the same bytes on the same day, unless they stand in an envelope', async () => {
    const examiner = openExaminer(silent);
    const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);
    const [day, limits] = ['2026-06-01', { findingsMax: 200, findingsPerRuleMax: 20 }];
    const wrong = bytes(miscalculated());
    try {
      const judgements: (Judgement | undefined)[] = [];
      const documents = [invoice(), wrong, json(wrong), bytes(misspelt()), bytes(unstructured()), documentOf('Order')];
      for (const body of documents) judgements.push((await examiner.readHead({ body, day })).judgement);
      const verdicts = await Promise.all(documents.map((body) => validate(body, { day, limits })));
      const alone = verdicts.map(({ findings }) => ({ day, refusing: findings.filter(isRefusedHere) }));
      expect(judgements).toEqual(alone);
      expect(judgements.map((each) => (each?.refusing.length ?? 0) > 0)).toEqual([false, true, true, false, true, false]);
      const enveloped = envelopeOf(wrong, { instanceId: 'one', sender: BUYER, receiver: SELLER });
      expect(await examiner.readHead({ body: enveloped, day })).not.toHaveProperty('judgement');
    } finally {
      await examiner.close();
    }
  });

  it('judge a document once that is sent after they have told what it is', async () => {
    const examiner = openExaminer(silent, 10_000);
    try {
      const [read, broken] = [invoice({ id: fresh() }), new TextEncoder().encode(miscalculated())];
      // As many as may wait for each other are looked at in between.
      const others = Array.from({ length: 500 }, () => invoice({ id: fresh() }));
      for (const body of [read, broken, ...others]) await examiner.readHead({ body, day: '2026-06-01' });
      const busy = fill(examiner);
      const answers = await Promise.allSettled([examiner.examine(submission(read)), examiner.examine(submission(broken)), ...busy]);
      expect(answers.slice(0, 2)).toMatchObject([
        { status: 'fulfilled', value: { head: { family: 'Invoice' }, warnings: [] } },
        { status: 'rejected', reason: { code: 'invalid' } },
      ]);
      expect(answers.at(-1)).toMatchObject({ reason: { code: 'rate-limited' } });
      // Other rules may hold tomorrow.
      const tomorrow = Array.from({ length: 3 }, () => examiner.examine({ ...submission(read), day: '2026-06-02' }));
      expect((await Promise.allSettled(tomorrow)).at(-1)).toMatchObject({ reason: { code: 'rate-limited' } });
    } finally {
      await examiner.close();
    }
  });

  it('keep what they found by how much it is: documents full of mistakes push others out sooner', async () => {
    const examiner = openExaminer(silent, 10_000);
    try {
      const read = invoice({ id: fresh() });
      const mistaken = Array.from({ length: 1_100 }, () => new TextEncoder().encode(miscalculated()));
      for (const body of [read, ...mistaken]) await examiner.readHead({ body, day: '2026-06-01' });
      const busy = fill(examiner);
      const [answer] = await Promise.allSettled([examiner.examine(submission(read)), ...busy]);
      expect(answer).toMatchObject({ reason: { code: 'rate-limited' } });
    } finally {
      await examiner.close();
    }
  });

  it('open what came from the network, too: documents, and responses to messages of ours', async () => {
    const examiner = openExaminer(silent);
    try {
      const between = { instanceId: 'one', sender: BUYER, receiver: SELLER };
      const opened = (document: Uint8Array) => examiner.open({ bytes: envelopeOf(document, between), day: '2026-06-01' });
      const answer = answerDocument({ customization: MLS, code: 'AP', reference: 'ours' });
      const answers = await Promise.allSettled([
        opened(new TextEncoder().encode(miscalculated())),
        opened(answer),
        opened(new TextEncoder().encode('<a/>')),
      ]);
      expect(answers).toMatchObject([
        { status: 'fulfilled', value: { ...between, holds: { kind: 'document', head: { family: 'Invoice' } } } },
        {
          status: 'fulfilled',
          value: { ...between, holds: { kind: 'response', response: { kind: 'mls', code: 'AP', reference: 'ours' } } },
        },
        { status: 'rejected', reason: { code: 'invalid' } },
      ]);
    } finally {
      await examiner.close();
    }
  });

  it('take so much at once, and ask the rest to come again', async () => {
    const examiner = openExaminer(silent, 10_000);
    try {
      const all = await Promise.allSettled(Array.from({ length: 20 }, () => examiner.examine(submission(invoice()))));
      const refused = all.filter(({ status }) => status === 'rejected');
      expect(refused.length).toBeGreaterThan(10);
      expect(refused[0]).toMatchObject({ reason: { code: 'rate-limited', facts: { retryAfterSeconds: 5 } } });
      const two = [examiner.examine(submission(invoice())), examiner.examine(submission(invoice()))];
      await expect(Promise.all(two)).resolves.toMatchObject([{ warnings: [] }, { warnings: [] }]);
    } finally {
      await examiner.close();
    }
  });

  it('take one document at a time, however large', async () => {
    const examiner = openExaminer(silent, 1);
    try {
      await expect(examiner.examine(submission(invoice()))).resolves.toMatchObject({ warnings: [] });
    } finally {
      await examiner.close();
    }
  });

  it('refuse what is not what it says it is', async () => {
    const examiner = openExaminer(silent);
    try {
      const mistaken = examiner.examine({ ...submission(invoice()), notation: 'json' });
      await expect(mistaken).rejects.toMatchObject({ code: 'invalid', facts: { details: [{ rule: 'content-type' }] } });
    } finally {
      await examiner.close();
    }
  });

  it('are replaced when they fail, and what fails late takes nobody else with it', async () => {
    const examiner = openExaminer(silent);
    try {
      for (let round = 0; round < 3; round++) {
        // A body that is none, which no request can make: the thread ends.
        const none = JSON.parse('{"length":1,"byteLength":1,"buffer":{"byteLength":1}}');
        const failing = examiner.open({ bytes: none, day: '2026-06-01' });
        await expect(failing).rejects.toMatchObject({ code: 'internal' });
        await expect(examiner.examine(submission(invoice()))).resolves.toMatchObject({ warnings: [] });
      }
    } finally {
      await examiner.close();
    }
  });

  it('tell whoever waits that they end', async () => {
    const examiner = openExaminer(silent);
    const waiting = expect(examiner.examine(submission(invoice()))).rejects.toMatchObject({ code: 'internal' });
    await examiner.close();
    await waiting;
  });
});

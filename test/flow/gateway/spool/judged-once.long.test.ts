// Official documents, broken in many ways (DROPGATE_BROKEN_DOCUMENTS: 60; 1,000 in the whole): what the examiner of a core says while it reads them
// makes the same verdict, word for word, as reading and judging them in the gateway.
import { hash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { openExaminer } from '#core/examination/examiner.ts';
import { dayOf } from '#domain/day.ts';
import { OWN_READING, type Reading, readingBeside } from '#gateway/reader/reading.ts';
import { type Refusal, verdictOn } from '#gateway/reader/verdict.ts';
import { amountOf } from '../../../support/amounts.ts';
import { brokenDocuments } from '../../../support/broken-documents.ts';
import { manualClock } from '../../../support/clock.ts';
import { hasConformance } from '../../../support/conformance.ts';
import { silent } from '../../../support/core.ts';
import { documentOf } from '../../../support/documents.ts';

const COUNT = amountOf('DROPGATE_BROKEN_DOCUMENTS');
const HOME = 'acme-ab';
const TIMEOUT_MS = 60_000 + COUNT * 500;

it.skipIf(!hasConformance)(`${COUNT} broken documents get the same verdict, whoever judges them`, { timeout: TIMEOUT_MS }, async () => {
  const clock = manualClock();
  const day = dayOf(clock.now());
  const examiner = openExaminer(silent);
  onTestFinished(() => examiner.close());
  let judged = 0;
  const beside = readingBeside(async (body) => {
    const head = await examiner.readHead({ body, day });
    if (head.judgement) judged++;
    return head;
  });
  const accounts = { ownerOf: async () => HOME };
  const verdict = ({ inspect }: Reading, bytes: Buffer): Promise<Refusal | null> =>
    verdictOn({ inspect, accounts, clock }, { home: HOME, accountRegNo: HOME, sha256: hash('sha256', bytes) }, bytes);
  for (const { name, way, bytes } of await brokenDocuments(COUNT, day)) {
    expect({ name, way, verdict: await verdict(beside, bytes) }).toEqual({ name, way, verdict: await verdict(OWN_READING, bytes) });
  }
  expect(await verdict(beside, Buffer.from(documentOf('Order')))).toBe(null);
  expect(judged).toBeGreaterThan(COUNT / 4);
});

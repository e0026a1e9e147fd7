// The enrichment `capture`: an uploaded UBL document, in XML or JSON, as UBL JSON with the findings of the rules.
import type { EnrichmentResult } from '#contract/enrichment.ts';
import type { Examiner } from '#core/examination/examiner.ts';
import { dayOf } from '#domain/day.ts';
import { type Finding, findingsIn } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { type FamilyName, familyOfRoot } from '#domain/family.ts';
import { LENIENT } from '#domain/validation.ts';
import type { Clock } from '#runtime/clock.ts';
import { readDocument } from '#ubl/document.ts';
import { jsonOf } from '#ubl/write-json.ts';

export interface CaptureParts {
  readonly examiner: Pick<Examiner, 'examine'>;
  readonly clock: Clock;
}

/** Throws `internal` only; a file that cannot be captured is a result that says so. */
export async function capture(parts: CaptureParts, body: Uint8Array): Promise<EnrichmentResult> {
  try {
    const { root, notation } = readDocument(body);
    const family = familyOfRoot(root.name);
    if (family?.namespace !== root.namespace) throw new AppError('invalid', 'The file is UBL of no family that is exchanged here.');
    const document: unknown = JSON.parse(jsonOf(root));
    const findings = await found(parts, { family: family.name, notation, body });
    return { type: 'capture', state: 'done', documentType: family.name, message: null, document: { [family.name]: document }, findings };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    const { message, facts } = error;
    return { type: 'capture', state: 'failed', documentType: null, message, document: null, findings: findingsIn(facts.details) };
  }
}

interface Captured {
  readonly family: FamilyName;
  readonly notation: 'xml' | 'json';
  readonly body: Uint8Array;
}

async function found({ examiner, clock }: CaptureParts, captured: Captured): Promise<Finding[]> {
  try {
    return [...(await examiner.examine({ ...captured, validation: LENIENT, day: dayOf(clock.now()) })).warnings];
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid') return findingsIn(error.facts.details);
    throw error;
  }
}

// One round of fuzzing: what was changed at random is judged, in XML and in JSON; nothing throws, nothing hangs, both say the same.
import type { Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { PROFILES } from '#domain/profiles.ts';
import { judgeBy } from '#rules/rule-sets.ts';
import { validate } from '#rules/validate.ts';
import { toldInJson } from '#ubl/json-words.ts';
import { readTree } from '#ubl/read.ts';
import { readJsonTree } from '#ubl/read-json.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { writeXml } from '#ubl/write.ts';
import { writeJson } from '#ubl/write-json.ts';
import { documentOf } from '../support/documents.ts';
import { randomOf } from '../support/random.ts';
import { mutated, torn } from './mutate.ts';

const DAY = '2026-06-01';
const HANG_MS = 500;

export interface Fuzzed {
  readonly documents: number;
  /** How many of them were refused, found faulty, and compared in both notations. */
  readonly unreadable: number;
  readonly invalid: number;
  readonly compared: number;
  readonly slowestMs: number;
}

/** Throws, with the seed of the document, when anything but a verdict or a refusal comes out. */
export async function fuzz(seed: number, documents: number): Promise<Fuzzed> {
  const bases = FAMILY_NAMES.map((name) => readTree(documentOf(name, { lines: 3 })));
  const counts = { unreadable: 0, invalid: 0, compared: 0 };
  let slowestMs = 0;
  for (let at = 0; at < documents; at++) {
    const own = seed * 1_000_003 + at;
    const random = randomOf(own);
    const base = bases[at % bases.length];
    if (!base) throw new RangeError('no document to start from');
    try {
      const tree = mutated(base, random);
      const xml = writeXml(tree);
      const began = spentMs();
      const findings = await verdictOn(xml);
      slowestMs = Math.max(slowestMs, await checkTime(xml, spentMs() - began));
      if (findings?.length) counts.invalid++;
      await judgeByAnother(tree, random);
      if ((await verdictOn(torn(xml, random))) === null) counts.unreadable++;
      if (await sameInJson(writeJson(tree))) counts.compared++;
    } catch (error) {
      throw new Error(`document ${own} (seed ${seed}, ${at}): ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
  return { documents, ...counts, slowestMs };
}

/** Rules are asked although the structure may be broken, and rules of another profile of the same root. */
async function judgeByAnother(root: XmlElement, random: ReturnType<typeof randomOf>): Promise<void> {
  const profiles = PROFILES.filter(({ roots }) => roots.includes(root.tag));
  const judge = await judgeBy(profiles[random(0, profiles.length - 1)]?.ruleSets ?? [], DAY);
  judge(root);
}

/** Null when it could not be read. */
async function verdictOn(bytes: Uint8Array): Promise<readonly Finding[] | null> {
  try {
    return (await validate(bytes, { day: DAY })).findings;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'unreadable' || error.code === 'invalid')) return null;
    throw error;
  }
}

/** Of the processor, by this thread. */
function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** A document that is slow once may have met a collection of garbage; one that is slow thrice is slow. */
async function checkTime(bytes: Uint8Array, tookMs: number): Promise<number> {
  let best = tookMs;
  for (let again = 0; best > HANG_MS && again < 3; again++) {
    const began = spentMs();
    await verdictOn(bytes);
    best = Math.min(best, spentMs() - began);
  }
  if (best > HANG_MS) throw new Error(`took ${best.toFixed(0)} ms`);
  return best;
}

/** The XML that the JSON stands for gets the same findings as the JSON, in other words. False when the JSON is refused, as an unknown element is. */
async function sameInJson(json: Uint8Array): Promise<boolean> {
  const inJson = await verdictOn(json);
  if (inJson === null) return false;
  const inXml = toldInJson((await verdictOn(writeXml(readJsonTree(json)))) ?? [], json);
  const [one, other] = [inJson, inXml].map((findings) => JSON.stringify(findings.map(withoutPlace)));
  if (one !== other) throw new Error(`JSON and XML differ:\n${one}\n${other}\n${new TextDecoder().decode(json)}`);
  return true;
}

/** Bytes of one notation have no place in the other. */
function withoutPlace({ rule, severity, message, path, value }: Finding) {
  return { rule, severity, message, path, value };
}

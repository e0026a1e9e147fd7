// Operations on the audit trail: what people have done, and whether what is written down of it is whole.
import { existsSync } from 'node:fs';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '#domain/error.ts';
import { parsedJson } from '#domain/json.ts';
import { lostKey, masterKeyPath } from '#installation/master-key.ts';
import { type StoredLine, storedLines, trailFiles } from '#runtime/audit/trail.ts';
import { verifyTrail } from '#runtime/audit/verify.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { Count, TextOrNull } from './forms.ts';
import type { ClosedInstallation } from './installation.ts';
import { operation } from './operation.ts';

const LISTED_MAX = 100_000;

/** As it stands in the trail, without its MAC. `before`, `after`: what it has changed. */
const Act = Type.Object({
  sequence: Count,
  at: Type.String(),
  who: Type.String(),
  what: Type.String(),
  given: Type.Unknown(),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
  failed: Type.Optional(Type.String()),
});
type Act = Type.Static<typeof Act>;
const form = Compile(Act);

export const auditList = operation(
  Type.Object({ limit: Type.Integer({ minimum: 1, maximum: LISTED_MAX }) }),
  Type.Array(Act),
  async ({ config }: ClosedInstallation, { limit }) => {
    const lines: StoredLine[] = [];
    for (const file of trailFiles(config.data).reverse()) {
      lines.push(...[...storedLines(file)].reverse());
      if (lines.length >= limit) break;
    }
    return lines.slice(0, limit).map(actIn);
  },
);

/** A line that somebody has broken is listed all the same: `audit verify` names it. */
function actIn({ body }: StoredLine): Act {
  const act = parsedJson(body);
  if (form.Check(act)) return act;
  return { sequence: 0, at: '', who: '', what: 'no line of the trail', given: body };
}

export const auditVerify = operation(
  Type.Object({
    /** A MAC that the log tells (audit.written): the line that it belongs to must be there. */
    last: Type.Optional(Type.String()),
  }),
  Type.Object({
    /** Lines that were read. */
    lines: Count,
    last: Type.Union([Type.Object({ sequence: Count, mac: Type.String() }), Type.Null()]),
    /** The first thing that is wrong; null where nothing is. */
    broken: TextOrNull,
  }),
  async ({ config }: ClosedInstallation, { last }) => {
    const path = masterKeyPath(config);
    const lost = await lostKey(config);
    if (lost !== undefined || !existsSync(path)) throw new AppError('usage', lost ?? 'There is no key file yet.');
    return verifyTrail(config.data, await openSeal(path, systemRandom), last ?? null);
  },
);

// The operation that lists what people have done.
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parsedJson } from '#domain/json.ts';
import { type StoredLine, sequenceOf, storedLines, trailFiles } from '#runtime/audit/trail.ts';
import { Count } from './forms.ts';
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
  Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: LISTED_MAX }),
    /** The number of a line: only those before it. */
    before: Type.Optional(Count),
  }),
  Type.Array(Act),
  async ({ config }: ClosedInstallation, { limit, before = Number.MAX_SAFE_INTEGER }) => {
    const lines: StoredLine[] = [];
    for (const file of trailFiles(config.data).reverse()) {
      lines.push(...[...storedLines(file)].reverse().filter(({ body }) => (sequenceOf(body) ?? 0) < before));
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

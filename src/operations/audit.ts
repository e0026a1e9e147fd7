// The operation that lists what people have done.
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parsedJson } from '#domain/json.ts';
import { bodiesFromEnd, firstSequenceOf, sequenceOf, trailFiles } from '#runtime/audit/trail.ts';
import { Count, MomentOrNull } from './forms.ts';
import type { ClosedInstallation } from './installation.ts';
import { operation } from './operation.ts';

const LISTED_MAX = 100_000;

/** As it stands in the trail, without its MAC. `before`, `after`: what it has changed. */
const Act = Type.Object({
  /** 0 and null for what is no line of the trail. */
  sequence: Count,
  at: MomentOrNull,
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
    const acts: Act[] = [];
    let isPast = before === Number.MAX_SAFE_INTEGER;
    for (const body of bodiesBefore(config.data, before)) {
      const sequence = sequenceOf(body);
      // What somebody has broken has no number: it stands with the line above it.
      if (!isPast && (sequence === undefined || sequence > before)) continue;
      isPast = true;
      if (sequence !== before) acts.push(actIn(body));
      if (acts.length === limit) break;
    }
    return acts;
  },
);

function* bodiesBefore(data: string, before: number): Generator<string> {
  for (const file of trailFiles(data).reverse()) if (firstSequenceOf(file) <= before) yield* bodiesFromEnd(file);
}

/** A line that somebody has broken is listed all the same: `audit verify` names it. */
function actIn(body: string): Act {
  const act = parsedJson(body);
  if (form.Check(act)) return act;
  return { sequence: 0, at: null, who: '', what: 'no line of the trail', given: body };
}

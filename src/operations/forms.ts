// Forms that inputs and answers share.
import { type Static, type TObject, Type } from 'typebox';
import { AppError } from '#domain/error.ts';

/** `2026-11-20T14:30:00.000Z`. */
export const Moment = Type.String();
export const MomentOrNull = Type.Union([Moment, Type.Null()]);
export const TextOrNull = Type.Union([Type.String(), Type.Null()]);
export const Count = Type.Integer({ minimum: 0 });

/** Of a list of names: all, or the first so many behind another one, of which a text is a part of what is known. */
export const Listed = Type.Object({
  page: Type.Optional(Type.Object({ after: Type.String(), limit: Type.Integer({ minimum: 1, maximum: 1_000 }), text: Type.String() })),
});

/** A broken rule. */
export const Finding = Type.Object({
  rule: Type.String(),
  severity: Type.Enum(['fatal', 'warning']),
  message: Type.String(),
  path: Type.Optional(Type.String()),
  /** From 1. */
  line: Type.Optional(Count),
});

/** Rules to set, of a form whose rules are all optional; null takes one back. */
export function changesOf<Rules extends TObject>(rules: Rules) {
  const changes = Object.entries(rules.properties).map(([rule, form]) => [rule, Type.Optional(Type.Union([form, Type.Null()]))]);
  return Type.Unsafe<{ readonly [Rule in keyof Static<Rules>]?: Static<Rules>[Rule] | null }>(
    Type.Object(Object.fromEntries(changes), { additionalProperties: false }),
  );
}

/** Milliseconds since 1970. Throws `bad-request`. */
export function msOf(moment: string): number {
  const ms = Date.parse(moment);
  if (Number.isNaN(ms)) throw new AppError('bad-request', `${moment} is no moment: write it as 2026-11-20T14:30:00Z.`);
  return ms;
}

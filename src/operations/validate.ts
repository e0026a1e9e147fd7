// The operation that judges a document that somebody shows: in a thread beside the event loop, and nothing of it is kept.
import { Type } from 'typebox';
import { dayOf, endOfDay } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { readBeside } from '#gateway/reader/pool.ts';
import { STATES } from '#rules/outcomes.ts';
import { systemClock } from '#runtime/clock.ts';
import { Count, Finding, TextOrNull } from './forms.ts';
import type { ClosedInstallation } from './installation.ts';
import { operation } from './operation.ts';

/** Of a document; four characters of base64 hold three bytes. */
export const SHOWN_BYTES_MAX = 20 * 2 ** 20;
export const BASE64_CHARACTERS_MAX = Math.ceil(SHOWN_BYTES_MAX / 3) * 4;

const Placed = Type.Object({
  ...Finding.properties,
  /** From 1. */
  column: Type.Optional(Count),
  /** What stands there, and how many characters of that stand before the place. */
  excerpt: Type.Union([Type.Object({ text: Type.String(), before: Count }), Type.Null()]),
});

export const validate = operation(
  Type.Object({
    /** XML or JSON, in base64. */
    document: Type.String({ maxLength: BASE64_CHARACTERS_MAX }),
    /** `YYYY-MM-DD`, whose rules hold; without it today's. */
    day: Type.Optional(Type.String()),
  }),
  Type.Object({
    state: Type.Enum(STATES),
    profile: TextOrNull,
    findings: Type.Array(Placed),
    /** Findings that were counted only. */
    untold: Count,
  }),
  async (_on: ClosedInstallation, { document, day = dayOf(systemClock.now()) }) => {
    if (endOfDay(day) === undefined) throw new AppError('bad-request', `${day} is no day, such as 2026-11-01.`);
    const { state, profile, findings, untold, excerpts } = await readBeside('report', { bytes: Buffer.from(document, 'base64'), day });
    const told = findings.map(({ rule, severity, message, path, line, column }, at) => ({
      rule,
      severity,
      message,
      ...(path !== undefined && { path }),
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
      excerpt: excerpts[at] ?? null,
    }));
    return { state, profile, findings: told, untold };
  },
);

// Forms that inputs and answers share.
import { Type } from 'typebox';
import { AppError } from '#domain/error.ts';

/** `2026-11-20T14:30:00.000Z`. */
export const Moment = Type.String();
export const MomentOrNull = Type.Union([Moment, Type.Null()]);
export const TextOrNull = Type.Union([Type.String(), Type.Null()]);
export const Count = Type.Integer({ minimum: 0 });

/** Milliseconds since 1970. Throws `bad-request`. */
export function msOf(moment: string): number {
  const ms = Date.parse(moment);
  if (Number.isNaN(ms)) throw new AppError('bad-request', `${moment} is no moment: write it as 2026-11-20T14:30:00Z.`);
  return ms;
}

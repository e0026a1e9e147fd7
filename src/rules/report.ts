// What is said about bytes, whatever they are: the verdict, and for each finding what stands at its place.
import { type Finding, findingsIn } from '#domain/document.ts';
import { type AppError, toAppError } from '#domain/error.ts';
import { decodeText } from '#ubl/decode.ts';
import { type Excerpt, excerptsOf } from './excerpts.ts';
import type { State } from './outcomes.ts';
import { type ValidateOptions, validate } from './validate.ts';

export interface Report {
  readonly state: State;
  readonly profile: string | null;
  readonly findings: readonly Finding[];
  /** Findings that were counted only. */
  readonly untold: number;
  /** For each finding what stands at its place, where that is known. */
  readonly excerpts: readonly (Excerpt | null)[];
}

/** Never throws for anything in the bytes. */
export async function reportOn(bytes: Uint8Array, options: ValidateOptions): Promise<Report> {
  try {
    const { valid, profile, findings, untold } = await validate(bytes, options);
    return { state: valid ? 'valid' : 'invalid', profile, findings, untold, excerpts: excerptsOf(decodeText(bytes), findings) };
  } catch (error) {
    const refused = toAppError(error);
    if (refused.code === 'unreadable') return unreadable(refused);
    // JSON that is not of UBL's shape is told in findings.
    const { details } = refused.facts;
    if (refused.code !== 'invalid' || !Array.isArray(details)) throw error;
    const findings = findingsIn(details);
    return { state: 'invalid', profile: null, findings, untold: 0, excerpts: excerptsOf(decodeText(bytes), findings) };
  }
}

export function unreadable({ message }: AppError): Report {
  const [, line, column] = /\bline (\d+)(?:, column (\d+))?/.exec(message) ?? [];
  const where = { ...(line ? { line: Number(line) } : {}), ...(column ? { column: Number(column) } : {}) };
  const finding: Finding = { rule: 'unreadable', severity: 'fatal', message, ...where };
  return { state: 'unreadable', profile: null, findings: [finding], untold: 0, excerpts: [] };
}

// What validation says about one file: the verdict, and for each finding what stands at its place.
import { readFileSync, statSync } from 'node:fs';
import { type Finding, findingsIn } from '#domain/document.ts';
import { AppError, toAppError } from '#domain/error.ts';
import { validate } from '#rules/validate.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { decodeText } from '#ubl/decode.ts';
import { type Excerpt, excerptsOf } from './excerpts.ts';

export type State = 'valid' | 'invalid' | 'unreadable';

export interface Report {
  readonly file: string;
  readonly state: State;
  readonly profile: string | null;
  readonly findings: readonly Finding[];
  /** Findings that were counted only. */
  readonly untold: number;
  /** For each finding what stands at its place in the file, where that is known. */
  readonly excerpts: readonly (Excerpt | null)[];
}

/** As much as the core takes at most. */
export const FILE_BYTES_MAX = 100 * 1024 * 1024;

/** Never throws for anything in the file, or about it. */
export function reportOnFile(file: string, day: string): Report {
  try {
    if (statSync(file).size > FILE_BYTES_MAX) throw new AppError('too-large', `The file has more than ${FILE_BYTES_MAX} bytes.`);
    return reportOn(file, readFileSync(file), day);
  } catch (error) {
    const code = systemCode(error);
    const sentence =
      code === 'ENOENT' ? 'There is no such file.' : `The file cannot be read (${error instanceof Error ? error.message : code}).`;
    return unreadable(file, error instanceof AppError ? error : new AppError('unreadable', sentence));
  }
}

export function reportOn(file: string, bytes: Uint8Array, day: string): Report {
  try {
    const { valid, profile, findings, untold } = validate(bytes, { day });
    return { file, state: valid ? 'valid' : 'invalid', profile, findings, untold, excerpts: excerptsOf(decodeText(bytes), findings) };
  } catch (error) {
    const refused = toAppError(error);
    if (refused.code === 'unreadable') return unreadable(file, refused);
    // JSON that is not of UBL's shape is told in findings.
    const { details } = refused.facts;
    if (refused.code !== 'invalid' || !Array.isArray(details)) throw error;
    const findings = findingsIn(details);
    return { file, state: 'invalid', profile: null, findings, untold: 0, excerpts: excerptsOf(decodeText(bytes), findings) };
  }
}

function unreadable(file: string, { message }: AppError): Report {
  const [, line, column] = /\bline (\d+)(?:, column (\d+))?/.exec(message) ?? [];
  const where = { ...(line ? { line: Number(line) } : {}), ...(column ? { column: Number(column) } : {}) };
  const finding: Finding = { rule: 'unreadable', severity: 'fatal', message, ...where };
  return { file, state: 'unreadable', profile: null, findings: [finding], untold: 0, excerpts: [] };
}

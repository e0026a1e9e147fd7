// What validation says about one file.
import { readFileSync, statSync } from 'node:fs';
import { AppError, messageOf } from '#domain/error.ts';
import { type Report, reportOn, unreadable } from '#rules/report.ts';
import { systemCode } from '#runtime/files/system-code.ts';

export interface FileReport extends Report {
  readonly file: string;
}

/** As much as the core takes at most. */
export const FILE_BYTES_MAX = 100 * 1024 * 1024;

/** Never throws for anything in the file, or about it. */
export async function reportOnFile(file: string, day: string): Promise<FileReport> {
  try {
    if (statSync(file).size > FILE_BYTES_MAX) throw new AppError('too-large', `The file has more than ${FILE_BYTES_MAX} bytes.`);
    return { file, ...(await reportOn(readFileSync(file), { day })) };
  } catch (error) {
    const code = systemCode(error);
    const sentence = code === 'ENOENT' ? 'There is no such file.' : `The file cannot be read (${messageOf(error)}).`;
    return { file, ...unreadable(error instanceof AppError ? error : new AppError('unreadable', sentence)) };
  }
}

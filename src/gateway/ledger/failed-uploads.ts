// Uploads that came to nothing: remembered until their time is over (retention.ts), and no more of a home than a hostile client may fill.
import type { Selectable } from 'kysely';
import { reasonsText, withReason } from './reasons.ts';
import type { Rows, Tables } from './schema.ts';

const ROWS_PER_HOME_MAX = 200;

export interface FailedUpload {
  readonly home: string;
  readonly login: string;
  readonly address: string;
  /** Bytes, one character per byte. */
  readonly fileName: string;
  readonly size: number;
  readonly reason: string;
  readonly atMs: number;
  readonly times: number;
}

export interface KnownFailedUpload extends FailedUpload {
  readonly upload: number;
  readonly firstAtMs: number;
}

/** Adds it to the row of its home, login and name, which has each reason; of a home that has too many what is oldest goes. */
export async function keepFailedUpload(rows: Rows, failed: FailedUpload, rowsMax = ROWS_PER_HOME_MAX): Promise<void> {
  const { home, login, address, fileName, size, atMs, times } = failed;
  const same = rows.selectFrom('failed_uploads').select('reason').where('home', '=', home).where('login', '=', login);
  const known = await same.where('file_name', '=', fileName).executeTakeFirst();
  const latest = { address, size, reason: withReason(known?.reason ?? null, failed.reason), at: atMs };
  await rows
    .insertInto('failed_uploads')
    .values({ home, login, file_name: fileName, first_at: atMs, times, ...latest })
    .onConflict((conflict) =>
      conflict.columns(['home', 'login', 'file_name']).doUpdateSet((e) => ({ ...latest, times: e('failed_uploads.times', '+', times) })),
    )
    .execute();
  const ofHome = rows.selectFrom('failed_uploads').select('upload').where('home', '=', home);
  const beyond = await ofHome.orderBy('at', 'desc').orderBy('upload', 'desc').limit(Number.MAX_SAFE_INTEGER).offset(rowsMax).execute();
  for (const { upload } of beyond) await rows.deleteFrom('failed_uploads').where('upload', '=', upload).execute();
}

/** Those of a home, the newest first. */
export async function readFailedUploads(rows: Rows, home: string): Promise<KnownFailedUpload[]> {
  const found = await rows
    .selectFrom('failed_uploads')
    .selectAll()
    .where('home', '=', home)
    .orderBy('at', 'desc')
    .orderBy('upload', 'desc')
    .execute();
  return found.map(toFailed);
}

export function toFailed({ at: atMs, file_name: fileName, ...row }: Selectable<Tables['failed_uploads']>): KnownFailedUpload {
  const { upload, home, login, address, size, times, first_at: firstAtMs } = row;
  return { upload, home, login, address, fileName, size, reason: reasonsText(row.reason), times, firstAtMs, atMs };
}

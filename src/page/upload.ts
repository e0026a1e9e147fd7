// A file that an operator shows by a form: its parts, as RFC 7578 has them. It is read only of who has logged in, and stays in memory.
import { AppError } from '#domain/error.ts';
import { SHOWN_BYTES_MAX } from '#operations/validate.ts';
import type { HttpRequest, HttpServer } from '#runtime/http/server.ts';

export interface Shown {
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** The token and what stands around the parts. */
const AROUND_BYTES = 16 * 1_024;
const NAME_CHARACTERS_MAX = 255;

export function takeUploads(server: HttpServer): void {
  server.addContentTypeParser(
    ['multipart/form-data'],
    { parseAs: 'buffer', bodyLimit: SHOWN_BYTES_MAX + AROUND_BYTES },
    (_request, body, done) => done(null, body),
  );
}

/** The file, and the token of its form. Throws `bad-request`, `too-large`. */
export async function uploadIn({ body, headers }: HttpRequest): Promise<{ readonly token: string; readonly shown: Shown }> {
  const form = Buffer.isBuffer(body) ? await partsOf(body, headers['content-type'] ?? '') : undefined;
  const [token, file] = [form?.get('token'), form?.get('document')];
  if (!(file instanceof File) || typeof token !== 'string') throw new AppError('bad-request', 'Choose a file first.');
  if (file.size > SHOWN_BYTES_MAX) throw new AppError('too-large', `The file has more than ${SHOWN_BYTES_MAX} bytes.`);
  return {
    token,
    shown: { fileName: file.name.slice(0, NAME_CHARACTERS_MAX) || 'document', bytes: Buffer.from(await file.arrayBuffer()) },
  };
}

async function partsOf(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch (error) {
    throw new AppError('bad-request', 'The form cannot be read.', { cause: error });
  }
}

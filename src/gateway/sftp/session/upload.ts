// One file that a client is writing: positional writes in flight, its size limit, its digest, and how it ends: commit, abandon or cancel.

import { closeSync, constants, fsync, ftruncate, ftruncateSync, openSync, read, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { sizeText } from '#domain/amounts.ts';
import { AppError, toAppError } from '#domain/error.ts';
import type { Upload as Begun, Intake, UploadRequest } from '#gateway/model/intake.ts';
import type { Facts } from '#gateway/sftp/protocol/replies.ts';
import type { Clock } from '#runtime/clock.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import { RunningDigest } from './running-digest.ts';

const fsyncAsync = promisify(fsync);
const truncateAsync = promisify(ftruncate);
const readAsync = promisify(read);
const writeAsync = promisify(write);

/** Bytes that are written without a way through another thread. */
const AT_ONCE_BYTES = 32 * 1024;

interface UploadOptions {
  readonly intake: Intake;
  readonly fileMaxBytes: number;
  /** APPEND: every write goes to the end, whatever offset it names (draft §6.3). */
  readonly append: boolean;
  /** The name was there before and nothing is cut from it: closed without a write, nothing was meant to be sent (a client that sets times). */
  readonly existed: boolean;
  /** Nothing is cut from what may be there: the client means to go on behind it. */
  readonly resumes: boolean;
  /** The size of the file that has the name and was handed over already; null where there is none. Nothing can be added to it. */
  readonly handedOver: number | null;
  /** Asked at CLOSE: the login may have lost the home meanwhile. */
  readonly mayCommit: () => boolean;
  /** Told once, when the upload has failed for good, with the size that it had or would have had; returns what the client is answered. */
  readonly failed: (error: AppError, size: number) => AppError;
  /** Told when the connection was lost after something was written, with the size that it had. */
  readonly abandoned: (size: number) => void;
  /** Of what is nothing to be taken: told at CLOSE what it was, when it is gone. */
  readonly discarded?: (facts: Facts) => void;
  /** The client may not look at the answer to CLOSE. */
  readonly isAnswerIgnored: boolean;
  readonly clock: Clock;
  readonly log: LogLines;
}

export class Upload {
  readonly #options: UploadOptions;
  readonly #id: string;
  readonly #descriptor: number;
  readonly #isJudged: boolean;
  readonly #pending = new Set<Promise<unknown>>();
  #size: number;
  #begun = false;
  #begunAt: number | undefined;
  #setMs: number | undefined;
  /** As long as nothing was begun in its place. */
  #handedOver: number | null;
  readonly #digest = new RunningDigest();
  #failure: { readonly error: AppError; readonly cleared: Promise<void> } | null = null;

  private constructor(options: UploadOptions, { upload, size, isJudged = false }: Begun, descriptor: number) {
    this.#options = options;
    this.#id = upload;
    this.#descriptor = descriptor;
    this.#isJudged = isJudged;
    this.#handedOver = options.handedOver;
    this.#size = size;
  }

  /** Throws `quota`, `name`, `storage`. */
  static async begin(request: UploadRequest, options: UploadOptions): Promise<Upload> {
    try {
      const begun = await options.intake.open(request);
      return await Upload.#opened(begun, options);
    } catch (error) {
      throw options.failed(toAppError(error), 0);
    }
  }

  static async #opened(begun: Begun, options: UploadOptions): Promise<Upload> {
    try {
      return new Upload(options, begun, openSync(begun.path, constants.O_RDWR | constants.O_NOFOLLOW));
    } catch (error) {
      await options.intake.cancel(begun.upload);
      throw diskRefused(error);
    }
  }

  /** Writes are begun in the order of the calls, and may be called while earlier ones are under way. Throws `too-large`, `quota`, `storage`. */
  async write(offset: number, data: Buffer): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    if (data.length === 0) return;
    const at = this.#position(offset);
    if (at + data.length > this.#options.fileMaxBytes) throw this.#fail(this.#tooLarge(), at + data.length);
    this.#digest.add(at, data);
    const write = (): Promise<void> => writeAll(this.#descriptor, data, at);
    const grows = this.#isJudged && at + data.length > this.#size;
    this.#size = Math.max(this.#size, at + data.length);
    await this.#track(grows ? this.#options.intake.grow(this.#id, this.#size).then(write) : write());
  }

  /** Reads back what was written. Returns the number of bytes; 0 at the end. */
  async read(offset: number, into: Buffer, start: number): Promise<number> {
    if (this.#failure) throw this.#failure.error;
    await this.#settled();
    return (await readAsync(this.#descriptor, into, start, into.length - start, offset)).bytesRead;
  }

  stat(): Facts {
    return { kind: 'file', size: this.#handedOver ?? this.#size, mtimeMs: this.#setMs ?? this.#options.clock.now() };
  }

  /** The client gives it a time, by which it will know it again. */
  touch(setMs: number): void {
    this.#setMs = setMs;
  }

  /** Cuts the file or makes it longer, as some clients do before or after they write. */
  async resize(size: number): Promise<void> {
    if (size === this.stat().size) return;
    if (this.#failure) throw this.#failure.error;
    if (size > this.#options.fileMaxBytes) throw this.#fail(this.#tooLarge(), size);
    if (size > 0) this.#mustNotAdd();
    this.#handedOver = null;
    await this.#settled();
    if (this.#isJudged && size > this.#size) await this.#track(this.#options.intake.grow(this.#id, size));
    await this.#track(truncateAsync(this.#descriptor, size));
    this.#digest.spoil();
    this.#size = size;
  }

  async sync(): Promise<void> {
    await this.#settled();
    if (this.#failure) throw this.#failure.error;
    await this.#track(fsyncAsync(this.#descriptor));
  }

  /** CLOSE: resolves when the file is durable and ours. Throws what failed; then the upload is gone. */
  async commit(): Promise<void> {
    await this.#settled();
    if (!this.#options.mayCommit()) this.#fail(new AppError('forbidden', 'this folder is not yours any more; ask the administrator'));
    if (this.#failure) {
      await this.#failure.cleared;
      throw this.#failure.error;
    }
    closeSync(this.#descriptor);
    if (this.#options.existed && !this.#begun && this.#size === 0) return this.#options.intake.cancel(this.#id);
    if (this.#options.discarded) {
      await this.#options.intake.cancel(this.#id);
      return this.#options.discarded(this.stat());
    }
    const sha256 = this.#digest.ofFirst(this.#size);
    try {
      const [setMs, begunAt] = [this.#setMs, this.#begunAt];
      const told = {
        ...(setMs !== undefined && { setMs }),
        ...(begunAt !== undefined && { begunAt }),
        ...(this.#options.isAnswerIgnored && { isAnswerIgnored: true }),
      };
      await this.#options.intake.commit(this.#id, { size: this.#size, sha256, ...told });
    } catch (error) {
      throw this.#options.failed(toAppError(error), this.#size);
    }
  }

  /** The connection was lost: the part is kept for a resume, and never sent. */
  async abandon(): Promise<void> {
    await this.#settled();
    if (this.#failure) return this.#failure.cleared;
    closeSync(this.#descriptor);
    if (this.#begun) this.#options.abandoned(this.#size);
    await this.#options.intake.abandon(this.#id);
  }

  #position(offset: number): number {
    const isFirst = !this.#begun;
    this.#begun = true;
    this.#begunAt ??= this.#options.clock.now();
    if (this.#options.append || offset > 0) this.#mustNotAdd();
    this.#handedOver = null;
    if (this.#options.append) return this.#size;
    // It believes that more of its file is here than there is.
    if (isFirst && this.#options.resumes && offset > this.#size) throw this.#fail(leavesHole(this.#size));
    // A client that did not ask to truncate, but begins at the start, does not resume: the rest of a broken upload must not stay behind its bytes.
    if (isFirst && offset === 0 && this.#size > 0) {
      ftruncateSync(this.#descriptor, 0);
      this.#size = 0;
    }
    return offset;
  }

  #mustNotAdd(): void {
    if (this.#handedOver === null) return;
    throw this.#fail(new AppError('forbidden', 'this file was already handed over; its receipt tells what became of it'));
  }

  #tooLarge(): AppError {
    return new AppError('too-large', `file is larger than ${sizeText(this.#options.fileMaxBytes)}, the limit of this server`);
  }

  async #track(work: Promise<unknown>): Promise<void> {
    this.#pending.add(work);
    try {
      await work;
    } catch (error) {
      throw this.#fail(error instanceof AppError ? error : diskRefused(error));
    } finally {
      this.#pending.delete(work);
    }
  }

  /** The first failure is final: the file is removed as soon as nothing writes to it any more, and CLOSE will fail with the same sentence. */
  #fail(error: AppError, size = this.#size): AppError {
    this.#failure ??= { error: this.#options.failed(error, size), cleared: this.#clear() };
    return this.#failure.error;
  }

  async #clear(): Promise<void> {
    await this.#settled();
    try {
      closeSync(this.#descriptor);
      await this.#options.intake.cancel(this.#id);
    } catch (error) {
      this.#options.log.warn({ event: 'sftp.upload-not-removed', upload: this.#id, err: error });
    }
  }

  async #settled(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }
}

function leavesHole(size: number): AppError {
  return new AppError(
    'forbidden',
    `only ${size} bytes of this file are here, and a gap would remain before yours; upload it from the start`,
  );
}

/** What takes less time to copy to the kernel than to hand to another thread is written at once. */
async function writeAll(descriptor: number, data: Buffer, position: number): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const left = data.length - done;
    done +=
      left <= AT_ONCE_BYTES
        ? writeSync(descriptor, data, done, left, position + done)
        : (await writeAsync(descriptor, data, done, left, position + done)).bytesWritten;
  }
}

function diskRefused(error: unknown): AppError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '');
  return new AppError(
    'storage',
    isFull ? 'the disk of the server is full; try again later' : 'the disk of the server refused; try again later',
    {
      cause: error,
    },
  );
}

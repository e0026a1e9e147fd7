// Verdicts at CLOSE, for logins that ask for them: a step in front of the inbox, which refuses what the rules refuse before the client is told OK.
import { join } from 'node:path';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { syncBytes } from '#gateway/disk/spool-files.ts';
import type { Logins } from '#gateway/model/account.ts';
import {
  type ClosedFile,
  type Intake,
  isReal,
  isTest,
  type Named,
  type Renamer,
  type ResendRequest,
  type Taken,
  toByteName,
  type Upload,
  type UploadRequest,
} from '#gateway/model/intake.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import { grouped } from '#gateway/publish/grouped-findings.ts';
import { readBytes } from '#gateway/reader/inspect.ts';
import { type Refusal, type VerdictParts, verdictOn } from '#gateway/reader/verdict.ts';
import type { Clock } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import type { Log } from '#runtime/log.ts';
import { IntakeStep } from './intake-step.ts';
import { notStored } from './take-into-custody.ts';

/** Bytes of the files that are judged at the same time. */
const JUDGED_BYTES_MAX = 64 * 1024 * 1024;
/** Clients show a line of their terminal or of their log. */
const SENTENCE_CHARACTERS_MAX = 600;

export interface VerdictSettings {
  /** For so long a client waits for a verdict; then its file is taken, and judged before it is sent. */
  readonly verdictWithin: number;
}

interface StrictParts extends VerdictParts {
  readonly settings: VerdictSettings;
  readonly intake: Intake;
  readonly logins: Logins;
  readonly data: string;
  readonly finisher: Pick<Finisher, 'notify'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Bytes that wait for their verdict, and for whom they were dropped. */
interface Closed {
  readonly home: string;
  readonly path: string;
  readonly size: number;
}

/** An upload of a login that asks for verdicts. */
interface Strict {
  request: UploadRequest;
  readonly path: string;
}

export class StrictVerdicts extends IntakeStep {
  readonly #parts: StrictParts;
  readonly #uploads = new Map<string, Strict>();
  readonly #room = new Semaphore(JUDGED_BYTES_MAX);

  constructor(parts: StrictParts) {
    super(parts.intake);
    this.#parts = parts;
  }

  async open(request: UploadRequest): Promise<Upload> {
    const opened = await this.intake.open(request);
    if (this.#isStrict(request.login)) this.#uploads.set(opened.upload, { request, path: opened.path });
    return opened;
  }

  async commit(id: string, file: ClosedFile): Promise<Taken> {
    const upload = this.#forget(id);
    if (!upload || !isSent(upload.request)) return this.intake.commit(id, file);
    // The disk works while the judges do; that it has failed it says only once.
    const unsynced = syncBytes(upload.path).then(() => null, notStored);
    const refusal = await this.#verdict({ ...upload.request, ...upload, size: file.size });
    // Whoever may not look at the answer finds a receipt, or else the file goes the usual way.
    if (refusal && (!file.isAnswerIgnored || (await this.#report(id, upload.request, file, refusal)))) {
      await this.intake.cancel(id);
      throw refused(refusal.outcome, file.size);
    }
    const failed = await unsynced;
    if (!failed) return this.intake.commit(id, file);
    await this.intake.cancel(id);
    throw failed;
  }

  cancel(id: string): Promise<void> {
    this.#forget(id);
    return this.intake.cancel(id);
  }

  abandon(id: string): Promise<void> {
    this.#forget(id);
    return this.intake.abandon(id);
  }

  async rename(from: Named, to: Named, by: Renamer): Promise<void> {
    const isJudged = this.#isStrict(by.login) && isSent(to);
    const entry = isJudged ? await this.intake.find(from, from.name, by.session) : null;
    const [place] = entry?.state === 'waiting' ? await this.intake.where(from, from.name, by.session) : [];
    if (entry && place) {
      const path = join(place.root, ...place.components, Buffer.from(place.name, 'latin1').toString());
      const refusal = await this.#verdict({ home: to.home, path, size: entry.size });
      if (refusal) {
        await this.intake.remove(from, from.name, by.session);
        throw refused(refusal.outcome, entry.size);
      }
    }
    await this.intake.rename(from, to, by);
    this.#renamed(from, to, by);
  }

  async resend(request: ResendRequest): Promise<Taken> {
    const { home, login, kept } = request;
    if (this.#isStrict(login)) {
      await inFolder(homeFolder(this.#parts.data, home), ['refused'], async (folder) => {
        const facts = await folder.stat(toByteName(kept));
        const judged = facts && (await this.#verdict({ home, path: String(folder.path(toByteName(kept))), size: facts.size }));
        if (judged) throw refused(judged.outcome, facts.size);
      });
    }
    return this.intake.resend(request);
  }

  #isStrict(login: string): boolean {
    return this.#parts.logins.find(login)?.rules.verdict === 'strict';
  }

  #forget(id: string): Strict | undefined {
    const upload = this.#uploads.get(id);
    this.#uploads.delete(id);
    return upload;
  }

  /** An upload that is still open may be renamed: its last name decides. */
  #renamed(from: Named, to: Named, { session }: Renamer): void {
    for (const upload of this.#uploads.values()) {
      const { request } = upload;
      const isIt =
        request.session === session && request.home === from.home && request.folder === from.folder && request.name === from.name;
      if (isIt) upload.request = { ...request, ...to };
    }
  }

  /** Null where nothing speaks against it, or where it is not known in time. */
  async #verdict(closed: Closed): Promise<Refusal | null> {
    const { settings, clock, log } = this.#parts;
    const late = Promise.withResolvers<null>();
    let isLate = false;
    using _timer = clock.after(settings.verdictWithin, () => {
      isLate = true;
      log.info({ event: 'verdict.late', home: closed.home, size: closed.size });
      late.resolve(null);
    });
    const work = this.#judge(closed, () => isLate).catch((error: unknown) => {
      log.error({ event: 'verdict.failed', home: closed.home, err: error });
      return null;
    });
    // Awaited here: the timer ends with this call.
    return await Promise.race([work, late.promise]);
  }

  async #judge({ home, path, size }: Closed, isLate: () => boolean): Promise<Refusal | null> {
    using _place = await this.#room.take(size);
    if (isLate()) return null;
    const { bytes, sha256 } = await readBytes(path);
    return verdictOn(this.#parts, { home, accountRegNo: home, sha256 }, bytes);
  }

  /** Whether the receipt is durable. */
  async #report(item: string, { home, login, name }: UploadRequest, { sha256 }: ClosedFile, { head, outcome }: Refusal): Promise<boolean> {
    const { finisher, clock, log } = this.#parts;
    const subject = { item, accountRegNo: home, home, login, fileName: name, sha256: sha256 ?? '', receivedAt: clock.now(), head };
    try {
      await finisher.notify(subject, outcome);
      return true;
    } catch (error) {
      log.error({ event: 'verdict.unreported', item, home, err: error });
      return false;
    }
  }
}

/** In the folder for tests a refusal is what is asked for. */
function isSent(named: Named): boolean {
  return isReal(named) && !isTest(named);
}

/** What a person sees of it: the first finding, for a client shows no others. */
function refused({ message, findings = [] }: Outcome, size: number): AppError {
  const [first, ...others] = grouped(findings);
  const line = first?.line === undefined ? '' : `, line ${first.line}`;
  const more = others.length === 0 ? '' : ` And ${counted(others.length, 'more finding')}.`;
  const told = first ? `${first.message.slice(0, SENTENCE_CHARACTERS_MAX)} (${first.rule}${line})${more}` : message;
  return new AppError('invalid', `The document was refused, and nothing was taken. ${told}`, { facts: { size } });
}

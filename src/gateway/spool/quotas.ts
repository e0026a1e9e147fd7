// How much may lie in a home before a login can bring nothing more into it: a step in front of the intake, which judges every call by which a
// login brings bytes in. Files of local programs count, and are never refused.
import type { Logins } from '#gateway/model/account.ts';
import {
  type ClosedFile,
  type Intake,
  isReal,
  type Named,
  type Renamer,
  type ResendRequest,
  type Taken,
  type Upload,
  type UploadRequest,
} from '#gateway/model/intake.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import type { Clock } from '#runtime/clock.ts';
import { NOTHING, type Usage } from './home-usage.ts';
import { IntakeStep } from './intake-step.ts';
import { type Coming, type Lack, Occupancy } from './occupancy.ts';

interface QuotaParts {
  readonly intake: Intake;
  readonly logins: Logins;
  /** What the home has, but for the uploads that `isOpen` names. */
  readonly measure: (home: string, isOpen: (upload: string) => boolean) => Promise<Usage>;
  readonly clock: Clock;
}

type Limits = Pick<LoginRules, 'homeBytesMax' | 'homeFilesMax'>;

/** An upload of a login that has a quota. */
interface JudgedUpload extends Coming {
  readonly request: UploadRequest;
}

export class HomeQuotas extends IntakeStep {
  readonly #parts: QuotaParts;
  readonly #uploads = new Map<string, JudgedUpload>();
  readonly #homes = new Map<string, Occupancy>();

  constructor(parts: QuotaParts) {
    super(parts.intake);
    this.#parts = parts;
  }

  async open(request: UploadRequest): Promise<Upload> {
    const { home, login } = request;
    if (!this.#limitsOf(login)) return this.intake.open(request);
    const occupancy = this.#occupancyOf(home);
    const before = await this.#resumed(request);
    const coming: JudgedUpload = { request, bytes: before.bytes };
    return occupancy.admit(
      this.#lackFor(login, before.bytes, () => before),
      async () => {
        occupancy.begin(coming);
        try {
          const opened = await occupancy.land(NOTHING, this.intake.open(request));
          this.#uploads.set(opened.upload, coming);
          coming.bytes = opened.size;
          return { ...opened, isJudged: true };
        } catch (error) {
          occupancy.end(coming);
          throw error;
        }
      },
    );
  }

  override async grow(id: string, bytes: number): Promise<void> {
    const upload = this.#uploads.get(id);
    if (!upload) return;
    const { home, login } = upload.request;
    await this.#occupancyOf(home).grow(upload, bytes, this.#lackFor(login, bytes, countedOf(upload)));
  }

  async commit(id: string, file: ClosedFile): Promise<Taken> {
    const upload = this.#uploads.get(id);
    if (!upload) return this.intake.commit(id, file);
    const { home, login } = upload.request;
    let fits = false;
    try {
      return await this.#occupancyOf(home).admit(this.#lackFor(login, file.size, countedOf(upload)), () => {
        fits = true;
        return this.#land(id, upload, file.size, () => this.intake.commit(id, file));
      });
    } catch (error) {
      if (!fits) await this.cancel(id);
      throw error;
    }
  }

  async abandon(id: string): Promise<void> {
    const upload = this.#uploads.get(id);
    if (!upload) return this.intake.abandon(id);
    await this.#occupancyOf(upload.request.home).settled();
    return this.#land(id, upload, upload.bytes, () => this.intake.abandon(id));
  }

  cancel(id: string): Promise<void> {
    const upload = this.#uploads.get(id);
    if (upload) this.#occupancyOf(upload.request.home).end(upload);
    this.#uploads.delete(id);
    return this.intake.cancel(id);
  }

  async rename(from: Named, to: Named, by: Renamer): Promise<void> {
    const entry = this.#limitsOf(by.login) && isReal(to) ? await this.intake.find(from, from.name, by.session) : null;
    if (entry?.state !== 'waiting') return this.intake.rename(from, to, by);
    const occupancy = this.#occupancyOf(to.home);
    const lack = this.#lackFor(by.login, entry.size, () => ({ files: 1, bytes: entry.size }));
    return occupancy.admit(lack, () => occupancy.land(NOTHING, this.intake.rename(from, to, by)));
  }

  async resend(request: ResendRequest): Promise<Taken> {
    const { home, login } = request;
    if (!this.#limitsOf(login)) return this.intake.resend(request);
    const occupancy = this.#occupancyOf(home);
    // Its bytes are in the home already; what comes of it is one more file, its receipt.
    return occupancy.admit(this.#lackFor(login, 0), () => occupancy.land({ files: 1, bytes: 0 }, this.intake.resend(request)));
  }

  #occupancyOf(home: string): Occupancy {
    const { measure, clock } = this.#parts;
    const occupancy = this.#homes.get(home) ?? new Occupancy(() => measure(home, (upload) => this.#uploads.has(upload)), clock);
    this.#homes.set(home, occupancy);
    return occupancy;
  }

  #limitsOf(login: string): Limits | undefined {
    const rules = this.#parts.logins.find(login)?.rules;
    return rules?.homeBytesMax !== undefined || rules?.homeFilesMax !== undefined ? rules : undefined;
  }

  /** What lacks for a file of so many bytes, of which `counted` is counted already. */
  #lackFor(login: string, bytes: number, counted: () => Usage = () => NOTHING): Lack {
    return (usage) => lacks(usage, counted(), this.#limitsOf(login) ?? {}, bytes);
  }

  /** A broken upload that this one may go on with. It was judged when it came. */
  async #resumed({ resume, name, session, ...place }: UploadRequest): Promise<Usage> {
    const entry = resume ? await this.intake.find(place, name, session) : null;
    return entry?.state === 'broken' || entry?.state === 'waiting' ? { files: 1, bytes: entry.size } : NOTHING;
  }

  /** It is no upload any more: walks find the file, if there still is one. */
  async #land<Result>(id: string, upload: JudgedUpload, bytes: number, act: () => Promise<Result>): Promise<Result> {
    const occupancy = this.#occupancyOf(upload.request.home);
    occupancy.end(upload);
    this.#uploads.delete(id);
    return occupancy.land({ files: 1, bytes }, act());
  }
}

const countedOf = (upload: Coming) => (): Usage => ({ files: 1, bytes: upload.bytes });

const REMEDY = 'delete what you have taken from outbox, receipts, accepted and refused, or ask the administrator for more room';

/** What there is too little of for one file of so many bytes beside all others, or undefined. */
function lacks(usage: Usage, counted: Usage, { homeFilesMax, homeBytesMax }: Limits, size: number): string | undefined {
  const [files, bytes] = [usage.files - counted.files, usage.bytes - counted.bytes];
  if (homeFilesMax !== undefined && files + 1 > homeFilesMax) return `the home is full: ${files} of ${homeFilesMax} files; ${REMEDY}`;
  if (homeBytesMax === undefined || (bytes < homeBytesMax && bytes + size <= homeBytesMax)) return undefined;
  const needed = size === 0 ? '' : `, and this file has ${size}`;
  return `the home is full: ${bytes} of ${homeBytesMax} bytes${needed}; ${REMEDY}`;
}

// How much may lie in a home before a login can bring nothing more into it: the intake as the logins' rules let them see it.

import type { Logins } from '#gateway/model/account.ts';
import { type Intake, isReal, type UploadRequest } from '#gateway/model/intake.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Usage } from './home-usage.ts';
import { type Coming, type Lack, Occupancy } from './occupancy.ts';

export interface QuotaParts {
  readonly logins: Logins;
  /** What the home has, but for the uploads that `isOpen` names. */
  readonly measure: (home: string, isOpen: (upload: string) => boolean) => Promise<Usage>;
  readonly clock: Clock;
}

type Limits = Pick<LoginRules, 'homeBytesMax' | 'homeFilesMax'>;

/** An upload of a login that has a quota. */
interface Upload extends Coming {
  readonly request: UploadRequest;
}

const NOTHING: Usage = { files: 0, bytes: 0 };

/** Every way by which a login brings bytes in is judged. Files of local programs count, and are never refused. */
export function withQuotas(intake: Intake, { logins, measure, clock }: QuotaParts): Intake {
  const uploads = new Map<string, Upload>();
  const homes = new Map<string, Occupancy>();

  function occupancyOf(home: string): Occupancy {
    const occupancy = homes.get(home) ?? new Occupancy(() => measure(home, (upload) => uploads.has(upload)), clock);
    homes.set(home, occupancy);
    return occupancy;
  }

  function limitsOf(login: string): Limits | undefined {
    const rules = logins.find(login)?.rules;
    return rules?.homeBytesMax !== undefined || rules?.homeFilesMax !== undefined ? rules : undefined;
  }

  /** What lacks for a file of so many bytes, of which `counted` is counted already. */
  function lackFor(login: string, bytes: number, counted: () => Usage = () => NOTHING): Lack {
    return (usage) => lacks(usage, counted(), limitsOf(login) ?? {}, bytes);
  }

  const countedOf = (upload: Upload) => (): Usage => ({ files: 1, bytes: upload.bytes });

  /** A broken upload that this one may go on with. It was judged when it came. */
  async function resumed({ resume, name, session, ...place }: UploadRequest): Promise<Usage> {
    const entry = resume ? await intake.find(place, name, session) : null;
    return entry?.state === 'broken' || entry?.state === 'waiting' ? { files: 1, bytes: entry.size } : NOTHING;
  }

  /** It is no upload any more: walks find the file, if there still is one. */
  async function leave<Result>(id: string, upload: Upload, bytes: number, act: () => Promise<Result>): Promise<Result> {
    const occupancy = occupancyOf(upload.request.home);
    occupancy.end(upload);
    uploads.delete(id);
    return occupancy.land({ files: 1, bytes }, act());
  }

  function cancel(id: string): Promise<void> {
    const upload = uploads.get(id);
    if (upload) occupancyOf(upload.request.home).end(upload);
    uploads.delete(id);
    return intake.cancel(id);
  }

  return {
    ...intake,
    async open(request) {
      if (!limitsOf(request.login)) return intake.open(request);
      const { home, login } = request;
      const occupancy = occupancyOf(home);
      const before = await resumed(request);
      const coming: Upload = { request, bytes: before.bytes };
      return occupancy.admit(
        lackFor(login, before.bytes, () => before),
        async () => {
          occupancy.begin(coming);
          try {
            const opened = await occupancy.land(NOTHING, intake.open(request));
            uploads.set(opened.upload, coming);
            coming.bytes = opened.size;
            return { ...opened, isJudged: true };
          } catch (error) {
            occupancy.end(coming);
            throw error;
          }
        },
      );
    },
    async grow(id, bytes) {
      const upload = uploads.get(id);
      if (upload) await occupancyOf(upload.request.home).grow(upload, bytes, lackFor(upload.request.login, bytes, countedOf(upload)));
    },
    async commit(id, file) {
      const upload = uploads.get(id);
      if (!upload) return intake.commit(id, file);
      const { home, login } = upload.request;
      let fits = false;
      try {
        return await occupancyOf(home).admit(lackFor(login, file.size, countedOf(upload)), () => {
          fits = true;
          return leave(id, upload, file.size, () => intake.commit(id, file));
        });
      } catch (error) {
        if (!fits) await cancel(id);
        throw error;
      }
    },
    async abandon(id) {
      const upload = uploads.get(id);
      if (!upload) return intake.abandon(id);
      await occupancyOf(upload.request.home).settled();
      return leave(id, upload, upload.bytes, () => intake.abandon(id));
    },
    cancel,
    async rename(from, to, by) {
      const entry = limitsOf(by.login) && isReal(to) ? await intake.find(from, from.name, by.session) : null;
      if (entry?.state !== 'waiting') return intake.rename(from, to, by);
      const counted = { files: 1, bytes: entry.size };
      const lack = lackFor(by.login, entry.size, () => counted);
      return occupancyOf(to.home).admit(lack, () => occupancyOf(to.home).land(NOTHING, intake.rename(from, to, by)));
    },
    async resend(request) {
      if (!limitsOf(request.login)) return intake.resend(request);
      const occupancy = occupancyOf(request.home);
      // Its bytes are in the home already; what comes of it is one more file, its receipt.
      return occupancy.admit(lackFor(request.login, 0), () => occupancy.land({ files: 1, bytes: 0 }, intake.resend(request)));
    },
  };
}

const REMEDY = 'delete what you have taken from outbox, receipts, accepted and refused, or ask the administrator for more room';

/** What there is too little of for one file of so many bytes beside all others, or undefined. */
function lacks(usage: Usage, counted: Usage, { homeFilesMax, homeBytesMax }: Limits, size: number): string | undefined {
  const [files, bytes] = [usage.files - counted.files, usage.bytes - counted.bytes];
  if (homeFilesMax !== undefined && files + 1 > homeFilesMax) return `the home is full: ${files} of ${homeFilesMax} files; ${REMEDY}`;
  if (homeBytesMax === undefined || (bytes < homeBytesMax && bytes + size <= homeBytesMax)) return undefined;
  const needed = size === 0 ? '' : `, and this file has ${size}`;
  return `the home is full: ${bytes} of ${homeBytesMax} bytes${needed}; ${REMEDY}`;
}

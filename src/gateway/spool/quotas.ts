// How much may lie in a home before a login can upload nothing more to it: the intake as the logins' rules let them see it.

import { AppError } from '#domain/error.ts';
import type { Logins } from '#gateway/accounts/accounts.ts';
import type { LoginRules } from '#gateway/accounts/login-rules.ts';
import type { Intake, Taken, UploadRequest } from '#gateway/intake.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Usage } from './home-usage.ts';

export interface QuotaParts {
  readonly logins: Logins;
  /** What the account has, but for the uploads that `isOpen` names. */
  readonly measure: (home: string, isOpen: (upload: string) => boolean) => Promise<Usage>;
  readonly clock: Clock;
}

/** How long a measurement, and what was added since, is believed while there is room; nobody is refused by an old one. */
const BELIEVED_MS = 2_000;

type Limits = Pick<LoginRules, 'homeBytesMax' | 'homeFilesMax'>;

/** Looked at when an upload begins, when it is about to be larger than there was room, and when it ends. */
export function withQuotas(intake: Intake, { logins, measure, clock }: QuotaParts): Intake {
  const known = new Map<string, Usage & { readonly atMs: number }>();
  const measuring = new Map<string, Promise<Usage>>();
  /** Uploads of logins that have a quota. */
  const uploads = new Map<string, UploadRequest>();
  /** By home: uploads that did fit and are being taken. They count already; a walk may find them, or not yet. */
  const landing = new Map<string, Set<Promise<Taken>>>();

  function limitsOf(login: string): Limits | undefined {
    const rules = logins.find(login)?.rules;
    return rules?.homeBytesMax !== undefined || rules?.homeFilesMax !== undefined ? rules : undefined;
  }

  async function walked(home: string): Promise<Usage> {
    try {
      await Promise.allSettled(landing.get(home) ?? []);
      const usage = await measure(home, (upload) => uploads.has(upload));
      known.set(home, { ...usage, atMs: clock.now() });
      return usage;
    } finally {
      measuring.delete(home);
    }
  }

  /** One walk at a time, for all who wait for it; nothing is taken while it lasts, and it waits for what is. */
  function measured(home: string): Promise<Usage> {
    const walk = measuring.get(home) ?? walked(home);
    measuring.set(home, walk);
    return walk;
  }

  /** Acts in the step in which one more file of so many bytes fits, so that whoever is judged next sees what has come. Throws `quota`. */
  async function whenItFits<Result>({ login, home }: UploadRequest, bytes: number, act: () => Promise<Result>): Promise<Result> {
    const limits = limitsOf(login);
    const before = known.get(home);
    const isBelieved = before !== undefined && !measuring.has(home) && clock.now() - before.atMs < BELIEVED_MS;
    if (limits && !(isBelieved && lacks(before, limits, bytes) === undefined)) {
      const usage = await measured(home);
      // Others that waited for the same walk may have been counted already.
      const lack = lacks(known.get(home) ?? usage, limits, bytes);
      if (lack !== undefined) throw new AppError('quota', `${lack}; ${REMEDY}`);
    }
    return act();
  }

  async function land(home: string, bytes: number, taking: Promise<Taken>): Promise<Taken> {
    const before = known.get(home);
    if (before) known.set(home, { ...before, files: before.files + 1, bytes: before.bytes + bytes });
    const all = landing.get(home) ?? new Set();
    landing.set(home, all.add(taking));
    try {
      return await taking;
    } finally {
      all.delete(taking);
    }
  }

  async function take(upload: string, file: Parameters<Intake['commit']>[1]): Promise<Taken> {
    try {
      return await intake.commit(upload, file);
    } finally {
      uploads.delete(upload);
    }
  }

  function cancel(upload: string): Promise<void> {
    uploads.delete(upload);
    return intake.cancel(upload);
  }

  return {
    ...intake,
    async open(request) {
      const upload = await whenItFits(request, 0, () => intake.open(request));
      const limits = limitsOf(request.login);
      if (!limits) return upload;
      uploads.set(upload.upload, request);
      const roomBytes = (limits.homeBytesMax ?? Number.POSITIVE_INFINITY) - (known.get(request.home)?.bytes ?? 0);
      return { ...upload, roomBytes: Math.max(0, roomBytes) };
    },
    async grow(upload, bytes) {
      const request = uploads.get(upload);
      if (request) await whenItFits(request, bytes, async () => {});
    },
    async commit(upload, file) {
      const request = uploads.get(upload);
      if (!request) return intake.commit(upload, file);
      let fits = false;
      try {
        return await whenItFits(request, file.size, () => {
          fits = true;
          return land(request.home, file.size, take(upload, file));
        });
      } catch (error) {
        if (!fits) await cancel(upload);
        throw error;
      }
    },
    abandon(upload) {
      uploads.delete(upload);
      return intake.abandon(upload);
    },
    cancel,
  };
}

const REMEDY = 'delete what you have taken from outbox, receipts, accepted and refused, or ask the administrator for more room';

/** What there is too little of for one more file of so many bytes, or undefined. */
function lacks({ files, bytes }: Usage, { homeFilesMax, homeBytesMax }: Limits, more: number): string | undefined {
  if (homeFilesMax !== undefined && files + 1 > homeFilesMax) return `the home is full: ${files} of ${homeFilesMax} files`;
  if (homeBytesMax === undefined || (bytes < homeBytesMax && bytes + more <= homeBytesMax)) return undefined;
  const needed = more === 0 ? '' : `, and this file has ${more}`;
  return `the home is full: ${bytes} of ${homeBytesMax} bytes${needed}`;
}

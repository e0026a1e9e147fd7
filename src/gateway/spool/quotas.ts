// How much may lie in a home before a login can upload nothing more to it: the intake as the logins' rules let them see it.

import { AppError } from '#domain/error.ts';
import type { Logins } from '#gateway/accounts/accounts.ts';
import type { LoginRules } from '#gateway/accounts/login-rules.ts';
import type { Intake, UploadRequest } from '#gateway/intake.ts';
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

/** Looked at when an upload begins, and when it ends and its size is known. */
export function withQuotas(intake: Intake, { logins, measure, clock }: QuotaParts): Intake {
  const known = new Map<string, Usage & { readonly atMs: number }>();
  const measuring = new Map<string, Promise<Usage>>();
  /** Uploads of logins that have a quota. */
  const uploads = new Map<string, UploadRequest>();

  function limitsOf(login: string): Limits | undefined {
    const rules = logins.find(login)?.rules;
    return rules?.homeBytesMax !== undefined || rules?.homeFilesMax !== undefined ? rules : undefined;
  }

  async function walked(home: string): Promise<Usage> {
    try {
      const usage = await measure(home, (upload) => uploads.has(upload));
      known.set(home, { ...usage, atMs: clock.now() });
      return usage;
    } finally {
      measuring.delete(home);
    }
  }

  /** One walk at a time, for all who wait for it. */
  function measured(home: string): Promise<Usage> {
    const walk = measuring.get(home) ?? walked(home);
    measuring.set(home, walk);
    return walk;
  }

  /** Whether one more file of so many bytes fits; one that is `taken` counts from then on. Throws `quota`. */
  async function mustFit({ login, home }: UploadRequest, bytes: number, taken: boolean): Promise<void> {
    const limits = limitsOf(login);
    const before = known.get(home);
    const isBelieved = before !== undefined && clock.now() - before.atMs < BELIEVED_MS;
    if (limits && !(isBelieved && lacks(before, limits, bytes) === undefined)) {
      const usage = await measured(home);
      // Others that waited for the same walk may have been counted already.
      const lack = lacks(known.get(home) ?? usage, limits, bytes);
      if (lack !== undefined) throw new AppError('quota', `${lack}; ${REMEDY}`);
    }
    // In the same step: whoever is judged next sees it.
    if (taken) add(home, bytes);
  }

  function add(home: string, bytes: number): void {
    const before = known.get(home);
    if (before) known.set(home, { ...before, files: before.files + 1, bytes: before.bytes + bytes });
  }

  return {
    ...intake,
    async open(request) {
      await mustFit(request, 0, false);
      const upload = await intake.open(request);
      if (limitsOf(request.login)) uploads.set(upload.upload, request);
      return upload;
    },
    async commit(upload, file) {
      const request = uploads.get(upload);
      if (!request) return intake.commit(upload, file);
      try {
        await mustFit(request, file.size, true).catch(async (error: unknown) => {
          await intake.cancel(upload);
          throw error;
        });
        return await intake.commit(upload, file);
      } finally {
        uploads.delete(upload);
      }
    },
    abandon(upload) {
      uploads.delete(upload);
      return intake.abandon(upload);
    },
    cancel(upload) {
      uploads.delete(upload);
      return intake.cancel(upload);
    },
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

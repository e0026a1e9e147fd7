// The view `lookup`: a file of each address, which says whether the receiver can receive. The service is asked when a client asks for the file's facts or opens it.
import { RECEIVER_KEPT_MS } from '#contract/addresses.ts';
import { AppError } from '#domain/error.ts';
import { participantOf } from '#domain/participant.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { Asker, View, ViewEntry, ViewFacts, ViewFile } from '#gateway/model/view.ts';
import type { Receivers } from '#gateway/service/receivers.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import { openRateLimit, type RateLimit } from '#runtime/rate-limit.ts';
import { lookupText, noAddressText, notAskedText, READ_ME } from './lookup-text.ts';

const ENDING = '.txt';
const READ_ME_NAME = 'README.txt';

/** Of a login: so many addresses at once, and one more every two seconds. */
const LIMIT = { burst: 30, perSecond: 0.5 };

/** What is neither a yes nor a no is kept for so long: clients ask for a file's facts before they read it, and believe its size. */
const KEEP_BRIEFLY_MS = 10_000;
const KEPT_BYTES_MAX = 8 * 2 ** 20;

interface LookupParts {
  readonly receivers: Receivers;
  readonly accounts: Pick<Accounts, 'all'>;
  readonly clock: Clock;
}

interface Kept {
  readonly file: ViewFile;
  readonly untilMs: number;
}

export class LookupView implements View {
  readonly #parts: LookupParts;
  readonly #limit: RateLimit;
  readonly #readMe: ViewFile;
  readonly #asking = new KeyedMutex();
  readonly #kept = new LruCache<Kept>(KEPT_BYTES_MAX, ({ file }) => file.bytes.length);

  constructor(parts: LookupParts) {
    this.#parts = parts;
    this.#readMe = fileOf(READ_ME, parts.clock.now());
    this.#limit = openRateLimit(parts.clock, () => LIMIT);
  }

  async *list(): AsyncGenerator<readonly ViewEntry[]> {
    const { bytes, mtimeMs } = this.#readMe;
    yield [{ name: READ_ME_NAME, size: bytes.length, mtimeMs }];
  }

  async stat(asker: Asker, name: string): Promise<ViewFacts | null> {
    const file = await this.read(asker, name);
    return file && { size: file.bytes.length, mtimeMs: file.mtimeMs };
  }

  async read({ login, home }: Asker, name: string): Promise<ViewFile | null> {
    if (name === READ_ME_NAME) return this.#readMe;
    const participant = participantNamed(name);
    if (participant === undefined) return name.endsWith(ENDING) ? fileOf(noAddressText(name), this.#readMe.mtimeMs) : null;
    const key = `${home} ${participant}`;
    return this.#asking.run(key, async () => {
      const refusal = `${login} ${key}`;
      const kept = this.#recall(key) ?? this.#recall(refusal);
      if (kept) return kept;
      const account = this.#parts.accounts.all().find((each) => each.home === home);
      if (!account) throw new AppError('missing', 'no account of this folder is served any more; ask the administrator');
      if (!this.#limit.take(login)) return this.#keep(refusal, notAskedText(participant, LIMIT), this.#parts.clock.now(), KEEP_BRIEFLY_MS);
      const answer = await this.#parts.receivers.ask(account.accountRegNo, participant);
      const [atMs, forMs] = answer.kind === 'told' ? [answer.askedAtMs, RECEIVER_KEPT_MS] : [this.#parts.clock.now(), KEEP_BRIEFLY_MS];
      return this.#keep(key, lookupText(participant, answer, atMs), atMs, forMs);
    });
  }

  #recall(key: string): ViewFile | undefined {
    const kept = this.#kept.get(key);
    return kept && this.#parts.clock.now() < kept.untilMs ? kept.file : undefined;
  }

  #keep(key: string, text: string, atMs: number, forMs: number): ViewFile {
    const file = fileOf(text, atMs);
    this.#kept.put(key, { file, untilMs: atMs + forMs });
    return file;
  }
}

function fileOf(text: string, mtimeMs: number): ViewFile {
  return { bytes: Buffer.from(text), mtimeMs };
}

/** `0208:0123456749.txt`, `0208-0123456749.txt` for programs without colons in names, and by bytes as other names have them: `0208%3A0123456749.txt`. */
function participantNamed(name: string): string | undefined {
  const text = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : name;
  const [, scheme, value] = /^(\d{4})[:-](.+)$/.exec(unescaped(text)) ?? [];
  return participantOf(scheme, value);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

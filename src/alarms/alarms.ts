// Alarms: every minute somebody looks after each kind; what began, happened or ended goes to each channel in digests. What stands and what is still to be
// told survives a restart. No document waits for any of it.
import { isDeepStrictEqual } from 'node:util';
import type { Seen, Watcher } from '#domain/alarm.ts';
import { messageOf } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import { type Book, endUnwatched, isDue, type Post, recordFailure, recordSeen, recordTold } from './book.ts';
import { readBook, writeBook } from './book-file.ts';
import { type Channel, type Channels, openChannels } from './channels.ts';
import { digestOf, type Origin } from './digest.ts';
import type { AlarmSettings } from './settings.ts';

interface AlarmParts {
  readonly origin: Origin;
  /** As they are now: a reload may change them. */
  readonly settings: () => AlarmSettings;
  readonly watchers: readonly Watcher[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const LOOK_EVERY_MS = 60_000;

/** Whether another process is to tell of it from now on. `key`: kind and subject. */
function isLeft(key: string, { isElsewhere }: Seen): boolean {
  return isElsewhere?.(key.slice(key.indexOf(' ') + 1)) === true;
}

/** Looks until it is closed; what is under way then is told by the next start. */
export function startAlarms(parts: AlarmParts): AsyncDisposable {
  return new Alarms(parts);
}

class Alarms implements AsyncDisposable {
  readonly #parts: AlarmParts;
  #settings: AlarmSettings;
  #channels: Channels;
  readonly #timer: Disposable;
  readonly #sending = new Set<string>();
  readonly #writing = new KeyedMutex();
  /** By watcher, why it could not look the last time. */
  readonly #blind = new Map<Watcher, string>();
  #book: Book;
  #written = '';
  #isStopped = false;

  constructor(parts: AlarmParts) {
    const { origin, settings, clock, log } = parts;
    this.#parts = parts;
    this.#settings = settings();
    this.#channels = openChannels(origin.data, this.#settings, clock);
    const book = readBook(origin.data);
    const kinds = parts.watchers.flatMap((watcher) => watcher.kinds);
    this.#book = endUnwatched(book, this.#names(), kinds, clock.now());
    this.#logGone(book, { stands: [] });
    this.#timer = every(
      clock,
      LOOK_EVERY_MS,
      () => this.#look(),
      (error) => log.error({ event: 'alarms.failed', err: error }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#timer[Symbol.dispose]();
    await this.#channels.close();
    await this.#writing.run('', async () => undefined);
  }

  async #look(): Promise<void> {
    await this.#takeSettings();
    for (const watcher of this.#parts.watchers) await this.#lookBy(watcher);
    await this.#write();
    for (const channel of this.#channels.all) this.#tell(channel);
  }

  async #takeSettings(): Promise<void> {
    const { origin, settings, clock } = this.#parts;
    const now = settings();
    if (isDeepStrictEqual(now, this.#settings)) return;
    const before = this.#channels;
    this.#settings = now;
    this.#channels = openChannels(origin.data, now, clock);
    await before.close();
  }

  async #lookBy(watcher: Watcher): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      const seen = await watcher.look();
      this.#blind.delete(watcher);
      const before = this.#book;
      const known = new Set(keysOf(before));
      this.#book = recordSeen(this.#book, this.#names(), watcher.kinds, seen, clock.now());
      this.#logGone(before, seen);
      for (const alarm of seen.stands) if (!known.has(`${alarm.kind} ${alarm.subject}`)) log.error({ event: 'alarm.began', ...alarm });
    } catch (error) {
      const reason = String(error);
      if (this.#blind.get(watcher) !== reason) log.warn({ event: 'alarms.unseen', kinds: watcher.kinds, err: error });
      this.#blind.set(watcher, reason);
    }
  }

  #logGone(before: Book, seen: Seen): void {
    const stands = new Set(keysOf(this.#book));
    for (const alarm of keysOf(before))
      if (!stands.has(alarm)) this.#parts.log.info({ event: isLeft(alarm, seen) ? 'alarm.elsewhere' : 'alarm.ended', alarm });
  }

  #names(): string[] {
    return this.#channels.all.map(({ name }) => name);
  }

  /** One at a time: two would write the same file beside the book. */
  #write(): Promise<void> {
    return this.#writing.run('', async () => {
      const text = JSON.stringify(this.#book);
      if (text === this.#written || this.#isStopped) return;
      await writeBook(this.#parts.origin.data, this.#book);
      this.#written = text;
    });
  }

  /** Beside the looks: a channel that takes its time delays no other one. */
  #tell(channel: Channel): void {
    const post = this.#book.posts[channel.name];
    if (!post || this.#sending.has(channel.name) || !isDue(post, this.#parts.clock.now())) return;
    this.#sending.add(channel.name);
    this.#send(channel, post)
      .catch((error: unknown) => this.#parts.log.error({ event: 'alarms.failed', err: error }))
      .finally(() => this.#sending.delete(channel.name));
  }

  async #send({ name, send }: Channel, post: Post): Promise<void> {
    const { origin, clock, random, log } = this.#parts;
    const at = clock.now();
    try {
      await send(digestOf(post, this.#book.standing.length, origin, at), at);
      this.#book = recordTold(this.#book, name, post, clock.now(), this.#settings.digest);
      log.info({ event: 'alarm.told', channel: name, news: post.news.length });
    } catch (error) {
      if (this.#isStopped) return;
      const reason = messageOf(error);
      this.#book = recordFailure(this.#book, name, reason, clock.now(), random);
      log.warn({ event: 'alarm.untold', channel: name, news: post.news.length, reason });
    }
    await this.#write();
  }
}

function keysOf({ standing }: Book): string[] {
  return standing.map(({ kind, subject }) => `${kind} ${subject}`);
}

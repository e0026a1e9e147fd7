// The book of alarms: what stands, and what each channel has still to tell. Pure: each function makes a new book of the one before.
import type { Alarm, AlarmKind, Seen } from '#domain/alarm.ts';
import type { Random } from '#domain/id.ts';
import { ALARM_WAITS_MS, jittered, waitAfter } from '#domain/retry.ts';

interface Standing extends Alarm {
  readonly since: number;
  /** Since when it is not seen any more; null while it is. */
  readonly goneSince: number | null;
}

export interface News extends Alarm {
  readonly what: 'began' | 'happened' | 'ended';
  readonly at: number;
}

/** What a channel has still to tell. */
export interface Post {
  readonly news: readonly News[];
  /** News that found no room. */
  readonly lost: number;
  readonly failures: number;
  /** Not before then; after a failure, or a digest. */
  readonly notBefore: number;
  /** Why the last try failed; null when it did not. */
  readonly reason: string | null;
}

export interface Book {
  readonly standing: readonly Standing[];
  readonly posts: Readonly<Record<string, Post>>;
}

export const EMPTY_BOOK: Book = { standing: [], posts: {} };

/** What is gone for a shorter time has not ended: it often comes back. */
const ENDED_AFTER_MS = 15 * 60_000;
const NEWS_MAX = 1_000;
/** Others may follow at once, and are told together with the first. */
const GATHER_MS = 60_000;
const NO_POST: Post = { news: [], lost: 0, failures: 0, notBefore: 0, reason: null };

/** What somebody who looks after `kinds` has seen is told on these channels. */
export function recordSeen(book: Book, channels: readonly string[], kinds: readonly AlarmKind[], seen: Seen, at: number): Book {
  const isOurs = ({ kind }: Alarm): boolean => kinds.includes(kind);
  const now = new Map(seen.stands.map((alarm) => [keyOf(alarm), alarm]));
  const stands = (alarm: Alarm): boolean => now.has(keyOf(alarm));
  const before = book.standing.filter((alarm) => isOurs(alarm) && (stands(alarm) || !seen.isElsewhere?.(alarm.subject)));
  const known = new Set(before.map(keyOf));
  const stayed = before.map((alarm): Standing => {
    const same = now.get(keyOf(alarm));
    return same ? { ...alarm, ...same, goneSince: null } : { ...alarm, goneSince: alarm.goneSince ?? at };
  });
  const ended = stayed.filter(({ goneSince }) => goneSince !== null && at - goneSince >= ENDED_AFTER_MS);
  const began = [...now.values()].filter((alarm) => !known.has(keyOf(alarm)));
  const news = [
    ...began.map((alarm): News => ({ ...alarm, what: 'began', at })),
    ...(seen.happened ?? []).map((alarm): News => ({ ...alarm, what: 'happened', at })),
    ...ended.map((alarm) => endOf(alarm, at)),
  ];
  return {
    standing: [
      ...book.standing.filter((alarm) => !isOurs(alarm)),
      ...stayed.filter((alarm) => !ended.includes(alarm)),
      ...began.map((alarm): Standing => ({ ...alarm, since: at, goneSince: null })),
    ],
    posts: postsWith(book, channels, news),
  };
}

/** Nobody looks after other kinds than these any more, as after a change of the configuration: what stands of them would stand for ever. */
export function endUnwatched(book: Book, channels: readonly string[], kinds: readonly AlarmKind[], at: number): Book {
  const ended = book.standing.filter(({ kind }) => !kinds.includes(kind));
  const news = ended.map((alarm) => endOf(alarm, at));
  return {
    standing: book.standing.filter((alarm) => !ended.includes(alarm)),
    posts: { ...book.posts, ...postsWith(book, channels, news) },
  };
}

function endOf({ kind, subject, sentence }: Standing, at: number): News {
  return { kind, subject, sentence, what: 'ended', at };
}

function postsWith({ posts }: Book, channels: readonly string[], news: readonly News[]): Book['posts'] {
  return Object.fromEntries(channels.map((channel) => [channel, addNews(posts[channel] ?? NO_POST, news)]));
}

/** An alarm that ended before it was told is not told; what happens again to the same is counted. */
function addNews(post: Post, added: readonly News[]): Post {
  let news = [...post.news];
  let lost = post.lost;
  for (const each of added) {
    const before = news.find((other) => keyOf(other) === keyOf(each) && (other.what === 'happened') === (each.what === 'happened'));
    if (before) news = news.filter((other) => other !== before);
    const isUndone = before?.what === 'began' && each.what === 'ended';
    const isBack = before?.what === 'ended' && each.what === 'began';
    if (isUndone || isBack) continue;
    const times = (before?.times ?? 0) + (each.times ?? 1);
    if (news.length < NEWS_MAX) news.push(before?.what === 'happened' ? { ...each, times, at: before.at } : each);
    else lost++;
  }
  return { ...post, news, lost };
}

/** Whether a channel is to tell its news now. */
export function isDue({ news, notBefore }: Post, at: number): boolean {
  const [first] = news;
  return first !== undefined && at >= notBefore && at >= first.at + GATHER_MS;
}

/** The channel has told these; nothing more before a digest's time has passed. */
export function recordTold(book: Book, channel: string, told: Post, at: number, digestMs: number): Book {
  return withPost(book, channel, (post) => ({
    ...NO_POST,
    news: post.news.filter((each) => !told.news.includes(each)),
    lost: post.lost - told.lost,
    notBefore: at + digestMs,
  }));
}

export function recordFailure(book: Book, channel: string, reason: string, at: number, random: Random): Book {
  return withPost(book, channel, (post) => {
    const failures = post.failures + 1;
    return { ...post, failures, reason, notBefore: at + jittered(waitAfter(ALARM_WAITS_MS, failures), random) };
  });
}

function withPost(book: Book, channel: string, change: (post: Post) => Post): Book {
  return { ...book, posts: { ...book.posts, [channel]: change(book.posts[channel] ?? NO_POST) } };
}

function keyOf({ kind, subject }: Alarm): string {
  return `${kind} ${subject}`;
}

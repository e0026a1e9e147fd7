// The book of alarms on disk: a small file in `alarms/`, replaced as a whole.
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { ALARM_KINDS, type AlarmKind } from '#domain/alarm.ts';
import { readJson, replaceJson } from '#runtime/files/json-file.ts';
import { type Book, EMPTY_BOOK } from './book.ts';
import { alarmsFolder } from './folder.ts';

const alarm = {
  kind: Type.String(),
  subject: Type.String(),
  sentence: Type.String(),
  times: Type.Optional(Type.Number()),
};
const NUMBER_OR_NULL = Type.Union([Type.Number(), Type.Null()]);
const FORM = Type.Object({
  standing: Type.Array(Type.Object({ ...alarm, since: Type.Number(), goneSince: NUMBER_OR_NULL })),
  posts: Type.Record(
    Type.String(),
    Type.Object({
      news: Type.Array(
        Type.Object({
          ...alarm,
          what: Type.Union([Type.Literal('began'), Type.Literal('happened'), Type.Literal('ended')]),
          at: Type.Number(),
        }),
      ),
      lost: Type.Number(),
      failures: Type.Number(),
      notBefore: Type.Number(),
      reason: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});
const form = Compile(FORM);

function pathOf(data: string): string {
  return join(alarmsFolder(data), 'state.json');
}

/** The empty book where there is none that can be read: what stands is told anew then. */
export function readBook(data: string): Book {
  const book = readJson(pathOf(data));
  return form.Check(book) ? withKnownKinds(book) : EMPTY_BOOK;
}

/** Another version may know other kinds. */
function withKnownKinds({ standing, posts }: Static<typeof FORM>): Book {
  return {
    standing: standing.filter(isKnown),
    posts: Object.fromEntries(Object.entries(posts).map(([channel, post]) => [channel, { ...post, news: post.news.filter(isKnown) }])),
  };
}

function isKnown<Each extends { readonly kind: string }>(each: Each): each is Each & { readonly kind: AlarmKind } {
  return Object.hasOwn(ALARM_KINDS, each.kind);
}

export async function writeBook(data: string, book: Book): Promise<void> {
  await replaceJson(pathOf(data), book);
}

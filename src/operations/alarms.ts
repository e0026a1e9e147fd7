// The operation that lists alarms.

import { Type } from 'typebox';
import { readBook } from '#alarms/book-file.ts';
import { isoTime } from '#domain/day.ts';
import { ownFolder } from '#gateway/disk/paths.ts';
import { Count, Moment } from './forms.ts';
import type { ClosedInstallation } from './installation.ts';
import { operation } from './operation.ts';

const Alarm = Type.Object({ since: Moment, kind: Type.String(), subject: Type.String(), sentence: Type.String() });
/** A channel that could not tell its last digest. */
const Untold = Type.Object({ channel: Type.String(), reason: Type.String(), failures: Count, news: Count, nextAttemptAt: Moment });

export const alarmList = operation(
  Type.Object({}),
  Type.Object({ alarms: Type.Array(Alarm), untold: Type.Array(Untold) }),
  async ({ config }: ClosedInstallation) => {
    const { standing, posts } = readBook(ownFolder(config.data, config.node));
    return {
      alarms: standing.map(({ since, kind, subject, sentence }) => ({ since: isoTime(since), kind, subject, sentence })),
      untold: Object.entries(posts).flatMap(([channel, { news, failures, notBefore, reason }]) =>
        reason === null ? [] : [{ channel, reason, failures, news: news.length, nextAttemptAt: isoTime(notBefore) }],
      ),
    };
  },
);

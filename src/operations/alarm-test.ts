// The operation that sends a test on each channel of alarms: by the daemon, where one runs, for its unit may deny addresses that a shell reaches.

import { hostname } from 'node:os';
import { Type } from 'typebox';
import { EMPTY_BOOK, recordSeen } from '#alarms/book.ts';
import { readBook } from '#alarms/book-file.ts';
import { openChannels } from '#alarms/channels.ts';
import { digestOf } from '#alarms/digest.ts';
import { alarmSettings } from '#alarms/of-config.ts';
import { messageOf } from '#domain/error.ts';
import { ownFolder } from '#gateway/disk/paths.ts';
import { systemClock } from '#runtime/clock.ts';
import { TextOrNull } from './forms.ts';
import type { ClosedInstallation } from './installation.ts';
import { operation } from './operation.ts';

const SENTENCE = "Somebody asked for a test: 'dropgate alarm test'.";

export const alarmTest = operation(
  Type.Object({}),
  Type.Object({
    /** By the daemon; otherwise by the command itself. */
    isRunning: Type.Boolean(),
    /** `problem`: null where the test was taken. */
    channels: Type.Array(Type.Object({ channel: Type.String(), problem: TextOrNull })),
  }),
  async ({ config, running }: ClosedInstallation) => {
    const data = ownFolder(config.data, config.node);
    const at = systemClock.now();
    const happened = [{ kind: 'test', subject: '', sentence: SENTENCE } as const];
    const open = openChannels(data, alarmSettings(config), systemClock);
    try {
      const channels = [];
      for (const { name, send } of open.all) {
        const post = recordSeen(EMPTY_BOOK, [name], ['test'], { stands: [], happened }, at).posts[name];
        const sent = post && send(digestOf(post, readBook(data).standing.length, { host: hostname(), data }, at), at);
        channels.push({ channel: name, problem: await Promise.resolve(sent).then(() => null, messageOf) });
      }
      return { isRunning: running !== null, channels };
    } finally {
      await open.close();
    }
  },
);

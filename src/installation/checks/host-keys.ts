// The server's host keys: whether those that are there can be used. The first start makes the others.
import { join } from 'node:path';
import { messageOf } from '#domain/error.ts';
import { readHostKeys } from '#gateway/sftp/host-keys.ts';
import { listenersOf } from '#runtime/config/listeners.ts';
import { type Check, problem } from './finding.ts';

export const checkHostKeys: Check = async ({ config: { role, data, sftp } }) => {
  if (role === 'core') return [];
  try {
    readHostKeys(
      join(data, 'keys'),
      listenersOf(sftp).map(({ profile }) => profile),
    );
    return [];
  } catch (error) {
    return [problem(messageOf(error), '')];
  }
};

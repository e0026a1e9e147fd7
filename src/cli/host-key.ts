// `dropgate host-key`: the keys by which clients know this server.
import { join } from 'node:path';
import { AppError } from '#domain/error.ts';
import { knownHostsLine, loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { prepareData } from '#installation/data-folder.ts';
import { listenersOf, reachedAt } from '#runtime/config/listeners.ts';
import type { AddCommand } from './commands.ts';
import { configOf, type JsonOptions } from './options.ts';

interface ListOptions extends JsonOptions {
  readonly host?: string;
}

export const addHostKeyCommands: AddCommand = (commands) => {
  const hostKey = commands.group('host-key');

  hostKey
    .configured('list', 'print fingerprints and known_hosts lines; keys that are not there are made')
    .option('--host <name>', 'name or address by which clients reach this server; without it the one that it listens on')
    .option('--json', 'print one JSON object per line')
    .action(async (options: ListOptions) => {
      const { data, role, sftp } = configOf(options).config;
      if (role === 'core')
        throw new AppError('usage', 'This is a core without a gateway: host keys belong to the machine where the gateway runs.');
      prepareData(data);
      for (const { listen, profile } of listenersOf(sftp)) {
        const host = options.host ?? reachedAt(listen);
        for (const key of await loadHostKeys(join(data, 'keys'), [profile])) {
          const { type, fingerprint } = key;
          const knownHosts = knownHostsLine(key, host, listen.port);
          if (options.json) commands.printJson({ type, fingerprint, knownHosts });
          else commands.terminal.print(`${type}\t${fingerprint}\n${knownHosts}`);
        }
      }
    });
};

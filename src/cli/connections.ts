// `dropgate connections`: who did not get in lately, and why.
import { AppError } from '#domain/error.ts';
import { listRejects } from '#gateway/operate/administration.ts';
import { type AddCommand, configOf, configured, type JsonOptions, printJson, tellIfNone } from './command.ts';
import { gatewayOf, withLedgers } from './ledgers.ts';

interface ConnectionsOptions extends JsonOptions {
  readonly failed?: boolean;
}

export const addConnections: AddCommand = (parent, terminal) => {
  configured(parent, 'connections', 'SFTP connections that came to nothing, and what would help')
    .option('--failed', 'the last 1,000 that failed, one line for each address and login, the latest first')
    .option('--json', 'print one JSON object per line, with the algorithms that the client offered')
    .action(async (options: ConnectionsOptions) => {
      if (!options.failed) throw new AppError('usage', 'Say which connections: --failed.');
      const { config } = configOf(options);
      const rejects = await withLedgers(config, (ledgers) => listRejects(gatewayOf(ledgers)));
      tellIfNone(terminal, rejects, 'failed connections', config);
      for (const { atMs, offer, ...reject } of rejects) {
        const at = new Date(atMs).toISOString();
        const { address, login, times, client, explanation } = reject;
        if (options.json) printJson(terminal, { at, ...reject, offer: offer === null ? null : JSON.parse(offer) });
        else terminal.print([at, `${times}×`, address, login || '-', client, explanation].join('\t'));
      }
    });
};

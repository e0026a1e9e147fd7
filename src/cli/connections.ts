// `dropgate connections`: who is on now; or who did not get in lately, and why.
import type { AnswerOf } from '#operations/table.ts';
import type { AddCommand } from './commands.ts';

type Row = AnswerOf<'connections'>[number];

export const addConnections: AddCommand = (commands) => {
  const input = ({ failed = false }: { readonly failed?: boolean }) => ({ failed });
  const present = commands.table<Exclude<Row, { readonly at: string }>>('such connections', {
    login: ({ login }) => login ?? '-',
    address: ({ address }) => address,
    client: ({ client }) => client,
    since: ({ since }) => ({ at: since }),
    received: ({ received }) => received,
    sent: ({ sent }) => sent,
    doing: ({ login, doing }) => (login === null ? 'logs in' : doing.join(', ') || 'nothing'),
  });
  const failed = commands.table<Extract<Row, { readonly at: string }>>('such connections', {
    last: ({ at }) => ({ at }),
    times: ({ times }) => `${times}×`,
    address: ({ address }) => address,
    login: ({ login }) => login || '-',
    client: ({ client }) => client,
    explanation: ({ explanation }) => explanation,
  });
  commands
    .asks('connections', 'connections', input, (rows, config) => {
      const refused = rows.flatMap((row) => ('at' in row ? [row] : []));
      if (refused.length > 0) failed(refused, config);
      else
        present(
          rows.flatMap((row) => ('at' in row ? [] : [row])),
          config,
        );
    })
    .option('--failed', 'the last 1,000 that failed, one line for each address and login, the latest first');
};

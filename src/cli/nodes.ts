// `dropgate nodes`: the gateways that share the homes; or who took over from whom.
import type { AnswerOf } from '#operations/table.ts';
import type { AddCommand } from './commands.ts';

type Row = AnswerOf<'nodes'>[number];
type Node = Extract<Row, { readonly place: string }>;
type Takeover = Exclude<Row, Node>;

export const addNodes: AddCommand = (commands) => {
  const input = ({ takeovers = false }: { readonly takeovers?: boolean }) => ({ takeovers });
  const living = commands.table<Node>('nodes', {
    node: ({ node }) => node,
    state: ({ state }) => ({ state }),
    homes: ({ homes }) => homes,
    since: ({ since }) => ({ at: since }),
    lease: ({ leaseMs }) => `${(leaseMs / 1_000).toFixed(1)} s`,
    place: ({ place }) => place,
  });
  const ended = commands.table<Takeover>('takeovers', {
    at: ({ at }) => ({ at }),
    node: ({ node }) => node,
    by: ({ by }) => by,
    homes: ({ homes }) => homes,
  });
  commands
    .asks('nodes', 'nodes', input, (rows, config, { takeovers }: { readonly takeovers?: boolean }) => {
      if (takeovers)
        ended(
          rows.flatMap((row) => ('place' in row ? [] : [row])),
          config,
        );
      else
        living(
          rows.flatMap((row) => ('place' in row ? [row] : [])),
          config,
        );
    })
    .option('--takeovers', 'the last 100 times that a node had ended and another took its homes, the latest first');
};

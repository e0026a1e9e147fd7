// The operation on nodes: the gateways that share the homes, which of them has how many, and who took over from whom.
import { Type } from 'typebox';
import { isoTime } from '#domain/day.ts';
import { readTakeovers } from '#gateway/ledger/nodes.ts';
import { listNodes } from '#gateway/operate/nodes.ts';
import { Count, Moment } from './forms.ts';
import { gatewayOf } from './installation.ts';
import { operation } from './operation.ts';

const Node = Type.Object({
  node: Type.String(),
  /** `starts`, `leaves`: it is given no homes. `ended`: its lease has passed, and nobody has taken its homes over yet. */
  state: Type.Union([Type.Literal('starts'), Type.Literal('lives'), Type.Literal('leaves'), Type.Literal('ended')]),
  /** That it has in hand. */
  homes: Count,
  since: Moment,
  /** How long its lease still holds. */
  leaseMs: Count,
  place: Type.String(),
});
const Takeover = Type.Object({
  at: Moment,
  /** Which had ended. */
  node: Type.String(),
  by: Type.String(),
  homes: Count,
});

export const nodes = operation(
  Type.Object({ takeovers: Type.Optional(Type.Boolean()) }),
  Type.Array(Type.Union([Node, Takeover])),
  async (on, { takeovers = false }) => {
    // Alone: nodes share a database of PostgreSQL.
    if (on.config.database.url === null) return [];
    const { ledger } = gatewayOf(on);
    if (takeovers) return (await readTakeovers(ledger.read)).map(({ at, node, by, homes }) => ({ at: isoTime(at), node, by, homes }));
    return (await listNodes(ledger)).map(({ joinedAt, leftMs, ...node }) => ({
      ...node,
      since: isoTime(joinedAt),
      leaseMs: Math.max(0, leftMs),
    }));
  },
);

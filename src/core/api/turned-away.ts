// Lists the documents that were turned away before they came in. The specification has no such endpoint: it is our own.
import Type from 'typebox';
import { TURNED_AWAY_LIMIT, TurnedAwayPage } from '#contract/turned-away.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { selectTurnedAwayAfter } from '#core/ledger/turned-away.ts';
import { isoTime } from '#domain/day.ts';
import { findingsIn } from '#domain/document.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import { AccountParams } from './query.ts';

const After = Type.Object({ after: Type.Integer({ minimum: 0, default: 0, description: 'The last that is known already.' }) });

export function addTurnedAway(server: HttpServer, rows: Rows): void {
  const schema = {
    tag: 'Access point',
    summary: 'List documents from the network that were turned away for what they break, the oldest first (not in the specification)',
    params: AccountParams,
    querystring: After,
    response: { 200: TurnedAwayPage, 204: Type.Null() },
    errors: [400, 403],
  };
  server.get('/network/:accountRegNo/turned-away', { schema }, async ({ params, query }, reply) => {
    const found = await selectTurnedAwayAfter(rows, params.accountRegNo, query.after, TURNED_AWAY_LIMIT);
    if (found.length === 0) return reply.status(204).send(null);
    const data = found.map(({ sequence, instanceId, sender, receiver, family, documentId, sha256, turnedAwayAt, findings }) => ({
      sequence,
      instanceId,
      sender,
      receiver,
      documentType: family,
      documentId,
      sha256,
      turnedAwayAt: isoTime(turnedAwayAt),
      findings: findingsIn(JSON.parse(findings)),
    }));
    return reply.send({ status: 'success', data });
  });
}

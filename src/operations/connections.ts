// The operation on connections: who is on now, which only a running daemon knows, or who did not get in lately.
import { Type } from 'typebox';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { readRejects } from '#gateway/ledger/rejects.ts';
import { Count, Moment, TextOrNull } from './forms.ts';
import { gatewayOf } from './installation.ts';
import { operation } from './operation.ts';

/** A connection that is open. */
const Present = Type.Object({
  login: TextOrNull,
  address: Type.String(),
  client: Type.String(),
  since: Moment,
  received: Count,
  sent: Count,
  doing: Type.Array(Type.String()),
});
/** Connections of one address and login that came to nothing: the last of them. */
const Failed = Type.Object({
  at: Moment,
  address: Type.String(),
  login: Type.String(),
  times: Count,
  reason: Type.String(),
  client: Type.String(),
  /** The algorithms that the client offered. */
  offer: Type.Unknown(),
  explanation: Type.String(),
});

export const connections = operation(
  Type.Object({ failed: Type.Optional(Type.Boolean()) }),
  Type.Array(Type.Union([Present, Failed])),
  async (on, { failed = false }) => {
    const gateway = gatewayOf(on);
    if (failed) {
      const rejects = await readRejects(gateway.ledger.read);
      return rejects.map(({ atMs, offer, ...reject }) => ({
        at: isoTime(atMs),
        ...reject,
        offer: offer === null ? null : JSON.parse(offer),
      }));
    }
    const running = on.running?.gateway;
    if (!running) throw new AppError('missing', 'No daemon runs here, so nobody is connected. Who was refused: connections --failed.');
    return running.sftp.present().map(({ sinceMs, doing, ...present }) => ({ ...present, since: isoTime(sinceMs), doing: [...doing] }));
  },
);

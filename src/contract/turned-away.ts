// Documents that were turned away before they came in, as data: for the service that kept them, and the gateway that tells of them. An
// endpoint beside the specification.

import Type from 'typebox';
import { parserOf, success } from './success.ts';

export const TURNED_AWAY_LIMIT = 100;

export function turnedAwayPath(accountRegNo: string, after: number): string {
  return `/network/${encodeURIComponent(accountRegNo)}/turned-away?after=${after}`;
}

export const TurnedAwayDocument = Type.Object({
  sequence: Type.Integer({ minimum: 1, description: 'Where it stands; the next page begins after the last of this one.' }),
  instanceId: Type.String({ minLength: 1, maxLength: 200, description: 'Of its envelope.' }),
  sender: Type.String({ maxLength: 200 }),
  receiver: Type.String({ maxLength: 200 }),
  documentType: Type.String({ maxLength: 100, description: 'The family; empty for what belongs to none.' }),
  documentId: Type.String({ maxLength: 1_000 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the document, in hexadecimal.' }),
  turnedAwayAt: Type.String({ format: 'date-time' }),
  findings: Type.Array(Type.Unknown()),
});

export type TurnedAwayDocument = Type.Static<typeof TurnedAwayDocument>;

export const TurnedAwayPage = success(Type.Array(TurnedAwayDocument, { maxItems: TURNED_AWAY_LIMIT }));
export const parseTurnedAway = parserOf(TurnedAwayPage);

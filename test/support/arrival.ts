// The news of a document, as the embedded core tells it.
import { hash } from 'node:crypto';
import type { Arrival } from '#domain/document.ts';
import { readHead } from '#ubl/head.ts';

export function arrivalOf(integrationId: string, bytes: Uint8Array): Arrival {
  const { enveloped: _enveloped, notation: _notation, ...head } = readHead(bytes);
  return { integrationId, head, sha256: hash('sha256', bytes), bytes: bytes.length };
}

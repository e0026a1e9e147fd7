// A table that is changed is another version of its ledger's schema: without it an earlier ledger would be opened, and fail in the middle of work.
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { coreSchema } from '#core/ledger/schema.ts';
import { statementsFor } from '#engines/schema.ts';
import { gatewaySchema } from '#gateway/ledger/schema.ts';

const WORDS = { text: 'text', integer: 'integer', blob: 'blob', key: 'key' };

it.each([
  ['core', coreSchema, '4 98c0c140fc70a556'],
  ['gateway', gatewaySchema, '13 0176ea3d07c5c199'],
])('the tables of the %s are those of its version', (_ledger, schema, known) => {
  expect(`${schema.version} ${hash('sha256', statementsFor(schema, WORDS).join('\n')).slice(0, 16)}`).toBe(known);
});

// Every client plays every behaviour against a running daemon; the table of both is printed at the end.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needed } from '../support/needed.ts';
import { BEHAVIOURS, fillOutbox } from './behaviours.ts';
import { isApplicable, type VerbName, type Verbs } from './client.ts';
import { CLIENTS } from './clients.ts';
import { openStage, type Stage } from './stage.ts';
import { openTable } from './table.ts';

let stage: Stage;
const table = openTable(CLIENTS);

beforeAll(async () => {
  stage = await openStage();
  fillOutbox(stage);
});
afterAll(async () => {
  const complaints = stage.daemon.complaints();
  await stage[Symbol.asyncDispose]();
  process.stdout.write(`\n${table.text()}\n\n`);
  if (process.env.DROPGATE_RECORD) table.record();
  expect(complaints, 'what the daemon said outside of its log').toBe('');
});

describe.each(CLIENTS)('$name', (client) => {
  let version: string | undefined;
  let isHere = false;
  beforeAll(async () => {
    version = await client.version();
    const { name, machine } = client;
    isHere =
      needed(name, version !== undefined, 'run test/interop/packages.sh as root') &&
      (machine === undefined || needed(machine.what, machine.has(), machine.how));
  });

  it.for(BEHAVIOURS.filter(({ needs }) => isApplicable(client, needs)))('$title', async ({ title, needs, show }, { skip }) => {
    const put = (cell: string): void => table.put(client, version, title, cell);
    const { verbs } = client;
    put('not installed');
    if (!isHere) skip();
    put('FAILED');
    if (!hasVerbs(verbs, needs)) throw new Error(`a verb is missing without a reason: ${needs}`);
    const note = await show({ stage, client, verbs });
    put(typeof note === 'string' ? `✓ ${note}` : '✓');
  });
});

/** A behaviour uses no verb but those that it names. */
function hasVerbs(verbs: Partial<Verbs>, needs: readonly VerbName[]): verbs is Verbs {
  return needs.every((verb) => verbs[verb]);
}

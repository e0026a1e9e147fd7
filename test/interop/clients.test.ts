// Every client plays every behaviour against a running daemon; the tables of both are printed at the end.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needed } from '../support/needed.ts';
import { BEHAVIOURS, fillOutbox } from './behaviours.ts';
import { isApplicable, type VerbName, type Verbs } from './client.ts';
import { CLIENTS } from './clients.ts';
import { openStage, type Stage } from './stage.ts';
import { openTables } from './tables.ts';
import { SENTENCE } from './verdicts.ts';

let stage: Stage;
const tables = openTables(CLIENTS);
const isRecording = Boolean(process.env.DROPGATE_RECORD);

beforeAll(async () => {
  stage = await openStage();
  fillOutbox(stage);
});
afterAll(async () => {
  const complaints = stage.daemon.complaints();
  await stage[Symbol.asyncDispose]();
  process.stdout.write(`\n${tables.text()}\n\n`);
  if (isRecording) tables.record();
  expect(complaints, 'what the daemon said outside of its log').toBe('');
});

it('docs/sftp-clients.md says what is asked, and the sentence of a refused document', () => {
  const page = readFileSync('docs/sftp-clients.md', 'utf8');
  const asked = page.slice(0, page.indexOf('<!-- begin'));
  const titles = [...asked.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell]) => cell).join('\n');
  for (const { title } of BEHAVIOURS) expect(titles).toContain(title);
  expect(page).toContain(SENTENCE);
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

  it.for(BEHAVIOURS.filter(({ needs }) => isApplicable(client, needs)))('$title', async (behaviour, { skip }) => {
    const put = (...cells: string[]): void => tables.put(client, version, behaviour, cells);
    const { needs, show } = behaviour;
    const { verbs } = client;
    put('not installed');
    if (!isHere) skip();
    put('FAILED');
    if (!hasVerbs(verbs, needs)) throw new Error(`a verb is missing without a reason: ${needs}`);
    const told = await show({ stage, client, verbs });
    if (Array.isArray(told)) put(...told.map(String));
    else put(typeof told === 'string' ? `✓ ${told}` : '✓');
    if (!isRecording) tables.mustStand(client, behaviour);
  });
});

/** A behaviour uses no verb but those that it names. */
function hasVerbs(verbs: Partial<Verbs>, needs: readonly VerbName[]): verbs is Verbs {
  return needs.every((verb) => verbs[verb]);
}

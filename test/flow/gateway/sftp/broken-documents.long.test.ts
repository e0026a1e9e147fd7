// Official documents, broken in many ways (DROPGATE_BROKEN_DOCUMENTS: 60; 1,000 in the whole), put by OpenSSH's sftp for a login with verdicts at CLOSE: each
// is refused for what `dropgate validate` finds in the same file; put into `test` it is reported the same; and where a repair of it is suggested,
// that is valid, and has changed what its receipt names.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '#domain/day.ts';
import type { Finding } from '#domain/document.ts';
import type { GroupedFinding, Receipt } from '#domain/receipt.ts';
import { UNREADABLE_CODES } from '#domain/unreadable.ts';
import { readFailedUploads } from '#gateway/ledger/failed-uploads.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { UNKNOWN_PROFILE } from '#rules/outcomes.ts';
import { validate } from '#rules/validate.ts';
import { amountOf } from '../../../support/amounts.ts';
import { type BrokenDocument, brokenDocuments } from '../../../support/broken-documents.ts';
import { manualClock } from '../../../support/clock.ts';
import { hasConformance } from '../../../support/conformance.ts';
import { byPath, differences, lengthOf } from '../../../support/repairs.ts';
import type { ScriptedService } from '../../../support/scripted-service.ts';
import { have, openSsh } from '../../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
import { command } from '../../../support/terminal.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const COUNT = amountOf('DROPGATE_BROKEN_DOCUMENTS');
const HOME = 'acme-ab';
const LOGIN = 'strict';
const TIMEOUT_MS = 600_000 + COUNT * 2_000;
/** As many sentences as a session shows. */
const IN_A_SESSION = 20;
/** Of a finding, in the sentence of a refusal. */
const SENTENCE_CHARACTERS = 600;
/** Of a sentence, on a client's terminal. */
const SHOWN_CHARACTERS = 400;
const REFUSED = 'The document was refused, and nothing was taken. ';

const folder = mkdtempSync(join(tmpdir(), 'dropgate-broken-'));
const dayMs = manualClock().now();
const day = dayOf(dayMs);

interface Judged extends BrokenDocument {
  /** By `dropgate validate`: what is fatal. */
  readonly findings: readonly Finding[];
  readonly state: string;
}

let world: World<ScriptedService>;
let documents: readonly Judged[];

/** What the command line says of each file in a folder. */
async function validated(broken: readonly BrokenDocument[]): Promise<readonly Judged[]> {
  for (const { name, bytes } of broken) writeFileSync(join(folder, name), bytes);
  const { status, out } = await command(['validate', folder, '--format', 'ndjson', '--day', day]);
  expect(status).not.toBe(0);
  const reports = new Map<string, Pick<Judged, 'state' | 'findings'>>(
    out.split('\n').map((line) => {
      const { file, state, findings } = JSON.parse(line);
      return [file, { state, findings }];
    }),
  );
  return broken.map((document) => {
    const report = reports.get(join(folder, document.name));
    if (!report) throw new Error(`${document.name} was not validated`);
    const findings = report.findings.filter(({ severity, rule }) => severity === 'fatal' && rule !== UNKNOWN_PROFILE);
    return { ...document, state: report.state, findings };
  });
}

async function enter(): Promise<World<ScriptedService>> {
  const entered = await startWorld(scripted(), {
    itemsMax: COUNT * 2,
    before: (on) =>
      addLogin(on, { login: LOGIN, passwordHash: PASSWORD_HASH, publicKeys: [], rules: { verdict: 'strict', answers: ['test'] } }),
  });
  await entered.administer(async (on) => {
    await addLoginHome(on, LOGIN, HOME, '');
    await changeAccount(on, HOME, { validate: 'local', repair: 'suggest' });
  });
  await entered.restart();
  return entered;
}

/** Puts them by `sftp -b`, some in each session, of which `after` learns what it showed. */
async function putAll(into: string, after: (batch: readonly Judged[], shown: string) => Promise<void>): Promise<void> {
  const door = { port: world.gateway().sftp.port, knownHosts: join(folder, 'known_hosts'), login: LOGIN };
  const keys = await loadHostKeys(join(world.data, 'keys'));
  writeFileSync(door.knownHosts, keys.map(({ publicLine }) => `[127.0.0.1]:${door.port} ${publicLine}\n`).join(''));
  for (let at = 0; at < documents.length; at += IN_A_SESSION) {
    const batch = documents.slice(at, at + IN_A_SESSION);
    const puts = batch.map(({ name }) => `-put "${join(folder, name)}" "${into}/${name}"`);
    const { err } = await openSsh(door, puts, ['-q', '-b', '-']);
    await after(batch, err);
  }
}

/** The receipts of a stage by the names of their files. */
function receiptsOf(stage: string): ReadonlyMap<string, Receipt> {
  const names = world.files(HOME, 'receipts').filter((name) => name.endsWith(`.${stage}.json`));
  return new Map(
    names.map((name) => {
      const receipt: Receipt = JSON.parse(world.read(HOME, 'receipts', name).toString());
      return [receipt.file, receipt];
    }),
  );
}

/** Each finding once, wherever a receipt tells it. The head's are the gateway's own. */
function toldIn(findings: readonly GroupedFinding[]): { rules: string[]; places: string[] } {
  const all = findings.flatMap((finding) => [finding, ...(finding.follows ?? [])]).filter(({ rule }) => !rule.startsWith('head-'));
  return {
    rules: ordered(all.flatMap(({ rule, rules = [] }) => [rule, ...rules])),
    places: ordered(all.flatMap((finding) => [finding, ...(finding.places ?? [])].map(placeOf))),
  };
}

const ordered = (values: readonly string[]): string[] => [...new Set(values)].sort();
const placeOf = ({ path, line }: Pick<Finding, 'path' | 'line'>): string => `${path} in line ${line}`;

/** As a client is told: the first of a receipt's findings, and how many more there are. */
function sentenceOf([first, ...others]: readonly GroupedFinding[]): string {
  if (!first) return '';
  const line = first.line === undefined ? '' : `, line ${first.line}`;
  const more = others.length === 0 ? '' : ` And ${others.length} more finding${others.length === 1 ? '' : 's'}.`;
  return `${first.message.slice(0, SENTENCE_CHARACTERS)} (${first.rule}${line})${more}`;
}

describe.skipIf(!hasConformance || !have('sftp'))(`${COUNT} broken documents`, () => {
  const reasons = new Map<string, string>();

  beforeAll(async () => {
    documents = await validated(await brokenDocuments(COUNT, day));
  }, TIMEOUT_MS);

  it('are refused at CLOSE for what `dropgate validate` finds, and tested with the same; what is suggested is valid', {
    timeout: TIMEOUT_MS,
  }, async () => {
    world = await enter();
    await refusedAtClose(reasons);
    const tested = await testedAlike(reasons);
    await repairedInForm(tested);
    const ways = Object.entries(Object.groupBy(documents, ({ way }) => way)).map(([way, some = []]) => `${way} ${some.length}`);
    console.log(`broken documents: ${COUNT} (${ways.join(', ')})`);
    rmSync(folder, { recursive: true });
  });
});

/** Each upload fails, and nothing of it is anywhere. */
async function refusedAtClose(reasons: Map<string, string>): Promise<void> {
  await putAll('/inbox', async (batch, shown) => {
    await world.inTime('the failed uploads', async () => {
      for (const { fileName, reason } of await world.administer(({ ledger }) => readFailedUploads(ledger.read, HOME))) {
        reasons.set(fileName, reason);
      }
      return batch.every(({ name }) => reasons.has(name));
    });
    const first = reasons.get(batch[0]?.name ?? '') ?? '';
    expect(shown).toContain(first.slice(0, SHOWN_CHARACTERS));
  });
  expect([...reasons.keys()].sort()).toEqual(documents.map(({ name }) => name));
  expect(world.spooled()).toEqual([]);
  expect(await world.items()).toEqual([]);
  expect(world.stages(HOME)).toEqual([]);
}

async function testedAlike(reasons: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, Receipt>> {
  await putAll('/inbox/test', async (_, shown) => expect(shown).toBe(''));
  const tested = receiptsOf('tested');
  for (const document of documents) {
    const { name, way, state, findings } = document;
    const receipt = tested.get(name);
    if (!receipt) throw new Error(`${name} (${way}) was not tested`);
    const who = `${name}: ${way}`;
    expect({ who, action: receipt.action }).toEqual({ who, action: 'fix' });
    const reason = reasons.get(name) ?? '';
    expect(reason.slice(0, REFUSED.length), who).toBe(REFUSED);
    // What is no document at all breaks no rule: its sentence says so, and the receipt by a code.
    const isNone = state === 'unreadable' || findings.some(({ rule }) => rule === 'ubl-root');
    if (isNone) {
      expect({ who, code: receipt.code, findings: receipt.findings }).toEqual({
        who,
        code: expect.toBeOneOf([...UNREADABLE_CODES]),
        findings: [],
      });
      expect(receipt.message, who).toContain(reason.slice(REFUSED.length));
      if (state === 'unreadable') expect(reason, who).toContain(findings[0]?.message);
    } else {
      const found = { rules: ordered(findings.map(({ rule }) => rule)), places: ordered(findings.map(placeOf)) };
      expect({ who, ...toldIn(receipt.findings) }).toEqual({ who, ...found });
      expect(reason.slice(REFUSED.length), who).toBe(sentenceOf(receipt.findings));
    }
  }
  expect(await world.items()).toEqual([]);
  return tested;
}

/** Dropped by a login without verdicts at CLOSE they are refused by receipts, which say the same, and some have a repair beside them. */
async function repairedInForm(tested: ReadonlyMap<string, Receipt>): Promise<void> {
  await world.dropAll(
    HOME,
    documents.map(({ name, bytes }) => [name, bytes] as const),
  );
  await world.inTime(
    'all of them to be refused',
    () => world.files(HOME, 'receipts').filter((name) => name.endsWith('.refused.json')).length === COUNT,
  );
  expect(world.service.creates()).toEqual([]);
  const refused = receiptsOf('refused');
  const kept = new Set(world.files(HOME, 'refused'));
  let repairs = 0;
  for (const { name, bytes, way } of documents) {
    const { findings, suggested } = refused.get(name) ?? {};
    expect(findings, name).toEqual(tested.get(name)?.findings);
    if (!suggested) continue;
    repairs++;
    kept.delete(suggested.file);
    const repaired = world.read(HOME, 'refused', suggested.file);
    expect((await validate(repaired, { day })).valid, `${name}: ${way}`).toBe(true);
    expect(byPath(suggested.changes), name).toEqual(differences(bytes, repaired));
    expect(repaired.length - bytes.length, name).toBe(lengthOf(suggested.changes));
  }
  expect([...kept].filter((file) => file.includes('.suggested.'))).toEqual([]);
  expect(repairs).toBeGreaterThan(COUNT / 50);
  console.log(`suggested repairs: ${repairs} of ${COUNT}, all valid`);
}

// What the gateway has of an account beside its documents, as lines of files. Of a home of several accounts nobody knows whose its logins and failed uploads
// are: they are written of its own home alone.
import { isoTime, isoTimes } from '#domain/day.ts';
import { readFilesOf } from '#gateway/ledger/account-data.ts';
import { readPausing } from '#gateway/ledger/circuit-breaker.ts';
import { readFailedUploads } from '#gateway/ledger/failed-uploads.ts';
import { readFetches } from '#gateway/ledger/fetches.ts';
import { readLastLogins, readPickupsOf } from '#gateway/ledger/last-uses.ts';
import { readLoginHomes, readLogins } from '#gateway/ledger/logins.ts';
import { readOrderAnswersOf } from '#gateway/ledger/order-answers.ts';
import { readQuarantined } from '#gateway/ledger/quarantine.ts';
import { readRedeliveriesOf } from '#gateway/ledger/redeliveries.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { appendLine } from '#runtime/files/json-lines.ts';
import type { Administration } from './administration.ts';

type Lines = (on: Administration, accountRegNo: string) => AsyncIterable<object>;

const FILES: Readonly<Record<string, Lines>> = {
  'fetched.jsonl': fetches,
  'failed.jsonl': failedUploads,
  'logins.jsonl': logins,
  'order-answers.jsonl': orderAnswers,
  'stuck.jsonl': quarantined,
  'redeliveries.jsonl': redeliveries,
  'pauses.jsonl': pauses,
};

export async function exportBeside(on: Administration, accountRegNo: string, folder: string): Promise<void> {
  for (const [file, lines] of Object.entries(FILES)) {
    for await (const line of lines(on, accountRegNo)) appendLine(folder, file, line);
  }
}

/** Who fetched what its home got. */
async function* fetches({ ledger: { read } }: Administration, accountRegNo: string) {
  for (let page = await readFilesOf(read, accountRegNo, 0); page.length > 0; ) {
    const files = new Map(page.map((file) => [file.publication, file]));
    for (const { publication, name, firstAt, lastAt, ...facts } of await readFetches(read, [...files.keys()])) {
      const { folder, name: file } = files.get(publication) ?? {};
      // A file may have another name since.
      yield { folder, file, ...facts, name, firstAt: isoTime(firstAt), lastAt: isoTime(lastAt) };
    }
    page = await readFilesOf(read, accountRegNo, page.at(-1)?.publication ?? 0);
  }
}

async function* failedUploads({ ledger: { read } }: Administration, accountRegNo: string) {
  for (const { upload: _, home: __, fileName, firstAtMs, atMs, ...facts } of await readFailedUploads(read, accountRegNo)) {
    yield { file: nameText(fileName), ...facts, firstAt: isoTime(firstAtMs), at: isoTime(atMs) };
  }
}

/** Of a password that there is one. */
async function* logins({ ledger: { read } }: Administration, accountRegNo: string) {
  const seen = await readLoginHomes(read, [accountRegNo]);
  const names = seen.map(({ login }) => login);
  const uses = new Map((await readLastLogins(read, names)).map(({ login, address, atMs }) => [login, { address, at: isoTime(atMs) }]));
  const pickups = await readPickupsOf(read, accountRegNo);
  for (const { login, disabled, passwordHash, publicKeys, rules } of await readLogins(read, names)) {
    const folder = seen.find((each) => each.login === login)?.folder;
    const [lastLogin, lastPickup] = [uses.get(login) ?? null, isoTime(pickups.get(login) ?? null)];
    yield { login, folder, disabled, hasPassword: passwordHash !== null, publicKeys, rules, lastLogin, lastPickup };
  }
}

async function* orderAnswers({ ledger: { read } }: Administration, accountRegNo: string) {
  for (const { givenAt, ...answer } of await readOrderAnswersOf(read, accountRegNo)) yield { ...answer, givenAt: isoTime(givenAt) };
}

async function* quarantined({ ledger: { read } }: Administration, accountRegNo: string) {
  for (const { accountRegNo: _, since, triedAt, ...facts } of await readQuarantined(read, accountRegNo)) {
    yield { ...facts, ...isoTimes({ since, triedAt }) };
  }
}

async function* redeliveries({ ledger: { read } }: Administration, accountRegNo: string) {
  for (const { askedAt, ...document } of await readRedeliveriesOf(read, accountRegNo)) yield { ...document, askedAt: isoTime(askedAt) };
}

/** Those that last. */
async function* pauses({ ledger: { read }, clock }: Administration, accountRegNo: string) {
  for (const { accountRegNo: _, since, until, ...pause } of await readPausing(read, clock.now(), accountRegNo)) {
    yield { ...pause, ...isoTimes({ since, until }) };
  }
}

// What happened to one document, in the order of time, and what is wrong with it.
import { dayOf } from '#domain/day.ts';
import { type Finding, findingsIn } from '#domain/document.ts';
import { parsedJson } from '#domain/json.ts';
import { isIn } from '#gateway/disk/paths.ts';
import { type FoundItem, type ItemHistory, type PublishedFile, readFiles, readHistory } from '#gateway/ledger/searches.ts';
import type { PublicationFolder } from '#gateway/ledger/tables/sending.ts';
import { brokenBeside } from '#gateway/reader/verdict.ts';
import type { Administration } from './administration.ts';
import { LINED_BYTES_MAX, readInHome, readItemBytes } from './contents.ts';
import type { Hit } from './find.ts';

export interface Happening {
  readonly atMs: number;
  readonly what: string;
  readonly detail: string;
  /** How long it took, as far as is known. */
  readonly tookMs: number | null;
}

export interface FileNow {
  readonly folder: PublicationFolder;
  readonly name: string;
  /** It still lies in the home. */
  readonly isHere: boolean;
}

export interface Timeline {
  readonly happened: readonly Happening[];
  readonly files: readonly FileNow[];
  readonly findings: readonly Finding[];
  /** They are none that a receipt told. */
  readonly isJudgedAgain: boolean;
}

/** No receipt is longer. */
export const RECEIPT_BYTES_MAX = 4 * 2 ** 20;

/** Everything that is known of one document. */
export async function timelineOf(on: Administration, hit: Hit): Promise<Timeline> {
  if (hit.kind === 'failed') return { happened: failures(hit.upload), files: [], ...NOTHING_WRONG };
  const { ledger, data } = on;
  if (hit.kind === 'received') {
    const { accountRegNo, integrationId, receivedAt, markedAt } = hit.document;
    const files = await readFiles(ledger.read, [accountRegNo], integrationId);
    const came = happening(receivedAt, 'came', 'fetched from the service');
    const marked = at(markedAt, 'marked', 'told to the service as read');
    return { happened: inOrder([came, ...marked, ...ofFiles(files)]), files: filesNow(data, files.published), ...NOTHING_WRONG };
  }
  const { item } = hit;
  const history = await readHistory(ledger.read, item);
  const by = item.login === null ? 'in the folder on disk, or by a command' : `by ${item.login}`;
  const happened = [
    ...at(item.begunAt, 'first byte', by),
    happening(item.receivedAt, 'in custody', by),
    ...history.attempts.map(({ number, at: atMs, endedAt, outcome }) =>
      happening(atMs, `attempt ${number}`, outcome ?? 'outcome not known', endedAt === null ? null : endedAt - atMs),
    ),
    ...at(item.endedAt, item.state, item.reason ?? ''),
    ...ofFiles(history),
  ];
  const files = filesNow(data, history.published);
  return { happened: inOrder(happened), files, ...(await findingsOf(data, item, history)) };
}

function failures({ firstAtMs, atMs, times, login, address, reason }: Extract<Hit, { kind: 'failed' }>['upload']): Happening[] {
  const by = `by ${login} from ${address}: ${reason}`;
  if (times === 1) return [happening(atMs, 'failed', by)];
  return [happening(firstAtMs, 'failed', `for the first of ${times} times`), happening(atMs, 'failed', by)];
}

/** The setting by which files go from a folder. */
const KEPT_BY: Readonly<Record<PublicationFolder, string>> = {
  outbox: 'keepOutbox',
  accepted: 'keepAccepted',
  refused: 'keepReceipts',
  receipts: 'keepReceipts',
};

function ofFiles({ published, fetched }: Pick<ItemHistory, 'published' | 'fetched'>): Happening[] {
  const written = published.flatMap(({ folder, name, stage, writtenAt }) =>
    at(writtenAt, folder === 'receipts' ? `receipt ${stage}` : 'published', `${folder}/${name}`),
  );
  const folders = new Map(published.map(({ publication, folder }) => [publication, folder]));
  const gone = fetched.map(({ publication, action, name, login, key, firstAt, times, address, bytes }) => {
    const folder = folders.get(publication);
    if (action === 'expired' && folder) return happening(firstAt, action, `${folder}/${name} was removed by ${KEPT_BY[folder]}`);
    const often = times > 1 ? `, ${times} times` : '';
    const size = action === 'downloaded' ? `, ${bytes} bytes` : '';
    return happening(firstAt, action, `${name} by ${login} from ${address}${key === null ? '' : ` with ${key}`}${size}${often}`);
  });
  return [...written, ...gone];
}

function happening(atMs: number, what: string, detail: string, tookMs: number | null = null): Happening {
  return { atMs, what, detail, tookMs };
}

function at(atMs: number | null, what: string, detail: string): Happening[] {
  return atMs === null ? [] : [happening(atMs, what, detail)];
}

function inOrder(happened: readonly Happening[]): Happening[] {
  return happened.toSorted((one, other) => one.atMs - other.atMs);
}

function filesNow(data: string, published: readonly PublishedFile[]): FileNow[] {
  return published.map(({ home, folder, name }) => ({ folder, name, isHere: isIn(data, home, folder, name) }));
}

type Wrong = Pick<Timeline, 'findings' | 'isJudgedAgain'>;

const NOTHING_WRONG: Wrong = { findings: [], isJudgedAgain: false };

/**
 * Of the latest receipt that has some. Where no receipt can be read for them, because they are in another form or were taken away, a document that was
 * refused is judged again, by the rules of that day.
 */
export async function findingsOf(data: string, item: FoundItem, history: ItemHistory): Promise<Wrong> {
  let isTold = false;
  // In JSON or not: names say nothing of the form in every layout.
  const receipts = history.published.filter(({ folder }) => folder === 'receipts');
  for (const { home, name, stage } of receipts.toReversed()) {
    const bytes = await readInHome(data, { home, folder: 'receipts', name }, RECEIPT_BYTES_MAX);
    const receipt = parsedJson(bytes?.toString() ?? '');
    const isReceipt = typeof receipt === 'object' && receipt !== null;
    const findings = findingsIn(isReceipt && 'findings' in receipt ? receipt.findings : undefined);
    if (findings.length > 0) return { findings, isJudgedAgain: false };
    isTold ||= isReceipt && stage === item.state;
  }
  if (isTold || item.state !== 'refused' || item.endedAt === null || item.size > LINED_BYTES_MAX) return NOTHING_WRONG;
  const bytes = await readItemBytes(data, item, history, LINED_BYTES_MAX);
  return { findings: bytes ? await brokenBeside(bytes, dayOf(item.endedAt)) : [], isJudgedAgain: true };
}

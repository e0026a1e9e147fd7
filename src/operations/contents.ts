// Operations on what stands in files: the receipts of a dropped file, the lines that their findings name, the file itself, and a received document.
import { Type } from 'typebox';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { type ItemHistory, readFiles, readHistory } from '#gateway/ledger/searches.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { LINED_BYTES_MAX, readInHome, readItemBytes } from '#gateway/operate/contents.ts';
import { itemNamed } from '#gateway/operate/operator.ts';
import { findingsOf, RECEIPT_BYTES_MAX } from '#gateway/operate/timeline.ts';
import { receivedNamed } from '#gateway/receive/redeliver.ts';
import { Count, MomentOrNull, TextOrNull } from './forms.ts';
import { gatewayOf, type Installation } from './installation.ts';
import { Lines, linesNamed, linesOf } from './lines.ts';
import { operation } from './operation.ts';

const DOCUMENT_BYTES_MAX = 64 * 2 ** 20;

const Receipt = Type.Object({
  name: Type.String(),
  stage: Type.String(),
  writtenAt: MomentOrNull,
  /** Null where it was taken away, or its time was over. */
  text: TextOrNull,
});

export const receipts = operation(
  Type.Object({
    item: Type.String(),
    /** Lines that are wanted, by their numbers, in place of those that the findings name. */
    lines: Type.Optional(Type.Array(Count)),
  }),
  Type.Object({
    item: Type.String(),
    receipts: Type.Array(Receipt),
    lines: Lines,
  }),
  async (on, { item: id, lines }) => {
    const { data, found, history } = await itemOf(on, id);
    const shown = history.published
      .filter(({ folder }) => folder === 'receipts')
      .map(async ({ home, folder, name, stage, writtenAt }) => {
        const bytes = await readInHome(data, { home, folder, name }, RECEIPT_BYTES_MAX);
        return { name, stage, writtenAt: isoTime(writtenAt), text: bytes?.toString() ?? null };
      });
    const wanted = lines ?? linesNamed((await findingsOf(data, found, history)).findings);
    const bytes = wanted.length > 0 && found.size <= LINED_BYTES_MAX ? await readItemBytes(data, found, history, LINED_BYTES_MAX) : null;
    return { item: found.item, receipts: await Promise.all(shown), lines: linesOf(bytes, wanted) };
  },
);

/** `acts`: who has handed a document out is written down. */
export const document = operation(
  Type.Object({
    item: Type.String(),
    /** The name of one of its receipts, which is wanted instead. */
    receipt: Type.Optional(Type.String()),
  }),
  Type.Object({
    item: Type.String(),
    fileName: Type.String(),
    /** Base64. */
    document: Type.String(),
  }),
  async (on, { item: id, receipt }) => {
    const { data, found, history } = await itemOf(on, id);
    if (receipt !== undefined) return { item: found.item, ...(await receiptOf(data, history, receipt)) };
    const bytes = await readItemBytes(data, found, history, DOCUMENT_BYTES_MAX);
    if (!bytes)
      throw new AppError('missing', `The file of item ${found.item} is not here any more: it was taken away, or its time was over.`);
    return { item: found.item, fileName: nameText(found.fileName), document: bytes.toString('base64') };
  },
);

async function receiptOf(data: string, { published }: ItemHistory, name: string) {
  const file = published.find((each) => each.folder === 'receipts' && each.name === name);
  const bytes = file && (await readInHome(data, file, RECEIPT_BYTES_MAX));
  if (!bytes) throw new AppError('missing', `There is no receipt ${name} here: it was taken away, its time was over, or it never was.`);
  return { fileName: name, document: bytes.toString('base64') };
}

/** `acts`, as above. */
export const received = operation(
  Type.Object({ integrationId: Type.String() }),
  Type.Object({
    integrationId: Type.String(),
    fileName: Type.String(),
    /** Base64. */
    document: Type.String(),
  }),
  async (on, { integrationId: id }) => {
    const { ledger, data } = gatewayOf(on);
    const { accountRegNo, integrationId } = await receivedNamed(ledger, id);
    const { published, fetched } = await readFiles(ledger.read, [accountRegNo], integrationId);
    const given = fetched.filter(({ action }) => action === 'renamed').map(({ name }) => name);
    // The latest first, and by the names that logins have given.
    for (const { home, name: first } of published.filter(({ folder }) => folder === 'outbox').toReversed()) {
      for (const name of [first, ...given]) {
        const bytes = await readInHome(data, { home, folder: 'outbox', name }, DOCUMENT_BYTES_MAX);
        if (bytes) return { integrationId, fileName: nameText(name), document: bytes.toString('base64') };
      }
    }
    throw new AppError(
      'missing',
      `Document ${integrationId} lies in the outbox no more: 'dropgate redeliver ${integrationId}' puts it there again.`,
    );
  },
);

async function itemOf(on: Installation, id: string) {
  const { ledger, data } = gatewayOf(on);
  const found = await itemNamed(ledger, id);
  const history: ItemHistory = await readHistory(ledger.read, found);
  return { data, found, history };
}

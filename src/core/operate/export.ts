// Everything that the core has of an account, as files that people and programs read: its rows as JSON, one object a line, and its documents as they came.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selectAllOf, selectMessagesAfter } from '#core/ledger/account-data.ts';
import { participantsOf, selectAccounts } from '#core/ledger/accounts.ts';
import { selectKeysOf } from '#core/ledger/keys.ts';
import { listsOf, type MessageList } from '#core/ledger/message-lists.ts';
import type { MessageRow } from '#core/ledger/messages.ts';
import { partnersOf } from '#core/ledger/partners.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { counted } from '#domain/amounts.ts';
import { isoTime, isoTimes } from '#domain/day.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { appendLine } from '#runtime/files/json-lines.ts';
import type { CoreAdministration } from './administration.ts';
import { exportBeside } from './export-beside.ts';

/** Resolves with how many messages were written; null where there is no such account. `account.json`, `messages.jsonl`, `DIRECTION/FAMILY/…`, and what stands beside the messages. */
export async function exportFromCore(
  { ledger: { read } }: Pick<CoreAdministration, 'ledger'>,
  accountRegNo: string,
  folder: string,
  progress: (text: string) => void,
): Promise<number | null> {
  const [account] = await selectAccounts(read, [accountRegNo]);
  if (!account) return null;
  const keys = (await selectKeysOf(read, accountRegNo)).map(({ createdAt, expiresAt, ...key }) => ({
    ...key,
    ...isoTimes({ createdAt, expiresAt }),
  }));
  const [participants, partners] = [await participantsOf(read, accountRegNo), await partnersOf(read, accountRegNo)];
  writeFileSync(join(folder, 'account.json'), `${JSON.stringify({ ...account, participants, partners, keys }, null, 2)}\n`);
  let count = 0;
  for (const list of listsOf(accountRegNo)) {
    for await (const exported of exportList(read, list, folder)) {
      count += exported;
      progress(counted(count, 'message'));
    }
  }
  await exportBeside(read, accountRegNo, folder);
  return count;
}

/** Yields how many more are written. */
async function* exportList(rows: Rows, list: MessageList, folder: string): AsyncGenerator<number> {
  for (let page = await selectMessagesAfter(rows, list, 0); page.length > 0; ) {
    for (const message of page) await exportMessage(rows, list, message, folder);
    yield page.length;
    page = await selectMessagesAfter(rows, list, page.at(-1)?.position ?? 0);
  }
}

async function exportMessage(rows: Rows, { direction, family }: MessageList, message: MessageRow, folder: string): Promise<void> {
  const { contents, log, responses, transmissions } = await selectAllOf(rows, message);
  const documents = ensureFolder(folder, direction, family);
  const { integration_id: integrationId } = message;
  const versions = contents.map(({ version, notation, sha256, bytes }) => {
    const file = `${integrationId}.${version}.${notation}`;
    writeFileSync(join(documents, file), bytes);
    return { version, file: `${direction}/${family}/${file}`, sha256 };
  });
  const line = {
    integrationId,
    direction,
    family,
    documentId: message.document_id,
    sender: message.sender,
    receiver: message.receiver,
    issueDate: message.issue_date,
    status: message.status,
    statusReason: message.status_reason,
    createdAt: isoTime(message.created_at),
    updatedAt: isoTime(message.updated_at),
    readAt: isoTime(message.read_at),
    versions,
    log: log.map(({ at, ...entry }) => ({ at: isoTime(at), ...entry })),
    responses: responses.map(({ received_at, findings, document, ...response }) => ({
      ...response,
      receivedAt: isoTime(received_at),
      findings: JSON.parse(findings),
      document: Buffer.from(document).toString(),
    })),
    transmissions: transmissions.map(({ createdAt, handedAt, postedAt, nextAttemptAt, ...transmission }) => ({
      ...transmission,
      ...isoTimes({ createdAt, handedAt, postedAt, nextAttemptAt }),
    })),
  };
  appendLine(folder, 'messages.jsonl', line);
}

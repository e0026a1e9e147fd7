// The kit's README: how to connect, and what the folders promise, for people who have nothing else at hand.
import { durationText } from '#domain/amounts.ts';
import { ADVICE } from '#domain/receipt.ts';
import { TEMPORARY_ENDINGS } from '#gateway/model/intake.ts';
import { isAtTop, type TopAnswer } from '#gateway/model/rule-words.ts';
import { type KitFacts, type KitFile, windowsFile } from './facts.ts';

export function contractFile(facts: KitFacts): KitFile {
  const sections = [
    connection(facts),
    folders(facts),
    ...(facts.readOnly ? [] : [sending(facts), receipts(facts)]),
    receiving(facts),
    scripts(facts),
  ];
  return windowsFile('README.txt', `${sections.join('\n\n')}\n`);
}

function connection({ login, host, port, hostKeys, byKey, byPassword, rules }: KitFacts): string {
  const proofs = [
    byKey ? ['the private key that belongs to the public key that you gave'] : [],
    byPassword ? ['the password that you were given'] : [],
  ];
  return `CONNECTION

Protocol     SFTP (SSH), version 3
Host         ${host}
Port         ${port}
Login        ${login}
Proof        ${proofs.flat().join(', and ')}
${hostKeys.map(({ type, fingerprint }) => `Host key     ${type} ${fingerprint}`).join('\n')}
${rules === '' ? '' : `Rules        ${rules}\n`}
Let your client refuse any other host key: the file known_hosts holds them in the form that OpenSSH and most libraries read.
This folder holds no secret.`;
}

/** What stands in each folder that answers. */
const ANSWERING: Readonly<Record<TopAnswer, string>> = {
  answer: 'Move an order that you received into accept, reject or query in it, and its response is sent after a minute.',
  lookup: 'Whether a receiver can receive: get lookup/0208:0123456749.txt (README.txt there says how).',
  status: 'What became of each document number that was put here in the last 30 days, and today.csv.',
};

const TEST = 'A document put here is judged, not sent: a receipt tested says what would become of it.';

function folders({ folders: accounts, names, kinds, answers, isShared, readOnly }: KitFacts): string {
  const where =
    accounts.length === 0 ? '' : `\nEach account has these in a folder of its own: ${accounts.map((name) => `/${name}`).join(', ')}.\n`;
  const { inbox, outbox, receipts, accepted, duplicates, refused } = names;
  const flat = outbox === '' ? ' They lie beside the other folders.' : '';
  const send: readonly (readonly [string, string])[] = [
    [inbox, 'Put documents here: UBL as XML or JSON, one per file, under any name.'],
    [`${inbox}/overwrite`, 'Put a document here to replace an earlier one of the same number.'],
    [`${inbox}/tmp`, `Files wait here until they are renamed into /${inbox}.`],
    ...(answers.includes('test') ? [[`${inbox}/test`, TEST] as const] : []),
  ];
  const take: readonly (readonly [string, string])[] = [
    [receipts, 'What became of each file, and what to do.'],
    [outbox, `Documents that others sent to you, complete.${flat}`],
    ...kinds.map((kind): readonly [string, string] => [outbox === '' ? kind : `${outbox}/${kind}`, 'Those of this kind.']),
    [accepted, 'Your originals that the service took.'],
    ...(duplicates === accepted ? [] : [[duplicates, 'Your originals that the service had already.'] as const]),
    [refused, 'Your originals that were refused.'],
    ...answers.filter(isAtTop).map((answer): readonly [string, string] => [answer, ANSWERING[answer]]),
  ];
  const rows = [...(readOnly ? [] : send), ...take];
  const width = Math.max(...rows.map(([name]) => name.length)) + 4;
  const shared = isShared ? `\n\n${SHARED}` : '';
  const only = readOnly ? '\n\nThis login may only read.' : '';
  return `FOLDERS
${where}
${rows.map(([name, what]) => `/${name}`.padEnd(width) + what).join('\n')}${shared}${only}`;
}

const SHARED = `They belong to several companies together. The sender in a document tells whose it is; a receipt says it as accountRegNo, and names of
received documents begin with it.`;

function sending({ names, fileMaxBytes, partialsKeptMs }: KitFacts): string {
  return `SENDING

1. Put the file into /${names.inbox}. When the upload ends without an error, the file is safe, and its delivery is ours.
2. When it ends with an error, or the connection breaks, upload the same file again. A file that was not closed is never sent.
   The same content may be put twice: it is sent once.
3. You may upload under a temporary name and rename it: names that begin with a dot, or end with one of these, wait for that, for ${durationText(partialsKeptMs)}:
   ${TEMPORARY_ENDINGS.join(' ')}
4. A file may have ${fileMaxBytes} bytes. Two files of one name never overwrite each other.`;
}

const SHAPES: Readonly<Record<KitFacts['receipts'], readonly [extension: string, shape: string]>> = {
  json: ['json', 'a JSON object'],
  text: ['txt', 'lines of key=value'],
  csv: ['csv', 'a table, with a row for each finding'],
  ubl: ['xml', 'an ApplicationResponse of UBL'],
};

function receipts({ names, resultsIn, receipts: form, keepReceiptsMs, keepAcceptedMs }: KitFacts): string {
  const [extension, shape] = SHAPES[form];
  const elsewhere = resultsIn.map((name) => `/${name}`).join(' or ');
  const results =
    elsewhere === '' ? '' : `\nThe last word on a file may lie in ${elsewhere} instead, under a name that was agreed with us.`;
  return `RECEIPTS

For each file /${names.receipts} gets one file per stage, NAME.ITEM.STAGE.${extension}: ${shape}. Obey its 'action', and show its 'message' to a
person:

${Object.entries(ADVICE)
  .map(([action, words]) => action.padEnd(9) + words)
  .join('\n')}

The stages accepted, duplicate, refused and cancelled are the last word on a file; delayed, waiting and held are not. After held one of them
follows, when somebody has looked. After accepted the network may tell of the document: sent, delivered, rejected (repair it) or
failed (put it once more, under the same number).${results}
Delete receipts when you have read them; they go by themselves after ${durationText(keepReceiptsMs)}, originals in /${names.accepted} after ${durationText(keepAcceptedMs)}.`;
}

function receiving({ names, kinds, readOnly }: KitFacts): string {
  const outbox = names.outbox === '' ? "the account's own folder" : `/${names.outbox}`;
  const taking = readOnly
    ? 'Download what you have not got yet.'
    : "Download, then delete: deleting says 'I have it'. Renaming to NAME.downloading first is fine.";
  const below = kinds.length > 0 ? ', and in the folders below it,' : '';
  return `RECEIVING

Files in ${outbox}${below} are complete when you see them, and each is put there once.
${taking}
Nothing is ever deleted from there but by you, unless you have agreed otherwise with us.`;
}

function scripts({ byKey, byPassword, folders: accounts, readOnly }: KitFacts): string {
  const variables = [
    ...(byKey
      ? ['DROPGATE_KEY        path of the private key; without it the file id beside this one (WinSCP: in the form of PuTTY)']
      : []),
    ...(byPassword ? ['DROPGATE_PASSWORD   the password'] : []),
    ...(accounts.length > 0 ? [`DROPGATE_FOLDER     the account's folder: ${accounts.join(' or ')}`] : []),
  ];
  const send = readOnly
    ? ''
    : 'openssh/send.sh FILE...     lftp/send.sh FILE...     winscp\\send.cmd FILE       paramiko/dropgate.py send FILE...\n';
  return `SCRIPTS

${send}openssh/receive.sh FOLDER   lftp/receive.sh FOLDER   winscp\\receive.cmd FOLDER   paramiko/dropgate.py receive FOLDER

They read environment variables:

${variables.join('\n')}

Each ends with 0 when all is done, and may be run again at any time. Receiving puts files into FOLDER/outbox and FOLDER/receipts, and
deletes at the server what it has safely there.`;
}

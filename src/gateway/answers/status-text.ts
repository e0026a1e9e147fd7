// What became of one dropped file, in words that a person reads: as many bytes for each, so that folders can show sizes of what is not written yet.
import { counted } from '#domain/amounts.ts';
import { isoTime } from '#domain/day.ts';
import type { Finding } from '#domain/document.ts';
import { isFamilyName } from '#domain/family.ts';
import { type Action, ADVICE, NETWORK_STAGES } from '#domain/receipt.ts';
import { visible } from '#domain/visible.ts';
import type { FoundItem } from '#gateway/ledger/searches.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { ItemHead, ItemState } from '#gateway/model/item.ts';
import { sightOf } from '#gateway/model/provider-names.ts';
import { NETWORK_OUTCOMES } from '#gateway/model/receipt-sentences.ts';
import type { Asker } from '#gateway/model/view.ts';
import type { FileNow, Happening, Timeline } from '#gateway/operate/timeline.ts';

export const TEXT_BYTES = 2_048;
const LINE_LENGTH_MAX = 300;
const MORE = '…';

/** What to do with what has come to a state, before the network has said anything. */
const ACTIONS: Readonly<Record<ItemState, Action>> = { pending: 'wait', accepted: 'none', refused: 'fix', held: 'wait', cancelled: 'none' };

/** Of a pending item without a reason to wait. */
const UNDER_WAY = 'It is safe here, and goes to the service as soon as it can.';

export interface Standing {
  readonly stage: string;
  readonly action: Action;
  readonly message: string;
}

/** What is the last word on it. */
export function standingOf(item: FoundItem): Standing {
  const stage = NETWORK_STAGES.find((each) => each === item.network);
  const head = headOf(item);
  if (stage && head) {
    const { action, message } = NETWORK_OUTCOMES[stage](head, item.integrationId ?? '', { reason: null, answer: null });
    return { stage, action, message };
  }
  const action = item.state === 'refused' && item.mode === 'unnamed' ? 'resend' : ACTIONS[item.state];
  return { stage: item.state, action, message: item.reason ?? UNDER_WAY };
}

function headOf({ family, documentId, sender, receiver }: FoundItem): ItemHead | null {
  if (family === null || documentId === null || sender === null || receiver === null) return null;
  return isFamilyName(family) ? { family, documentId, sender, receiver } : null;
}

/** Of `TEXT_BYTES` bytes; what does not fit is left out at the end. */
export function statusText(item: FoundItem, timeline: Timeline, asker: Asker): string {
  const { stage, action, message } = standingOf(item);
  return fitted([
    `${item.family ?? 'Document'} ${item.documentId ?? ''}${item.receiver === null ? '' : ` for ${item.receiver}`}`,
    `dropped as ${nameText(item.fileName)}, ${counted(item.size, 'byte')}`,
    '',
    `${stage}: ${message}`,
    `What to do: ${ADVICE[action]}`,
    '',
    ...timeline.findings.map(findingLine),
    ...(timeline.findings.length > 0 ? [''] : []),
    ...timeline.happened.flatMap((each) => happeningLine(each, item, asker)),
    ...timeline.files.map((file) => fileLine(file, asker)),
  ]);
}

function findingLine({ rule, message, line }: Finding): string {
  return `${rule}: ${message}${line === undefined ? '' : ` (line ${line})`}`;
}

/** What logins did with its files afterwards is nobody's business who only dropped it; nor who else drops into the home. */
const LEFT_OUT: ReadonlySet<string> = new Set(['published', 'downloaded', 'removed', 'renamed']);
const BY_LOGIN: ReadonlySet<string> = new Set(['first byte', 'in custody']);

function happeningLine({ atMs, what, detail }: Happening, item: FoundItem, asker: Asker): string[] {
  if (LEFT_OUT.has(what)) return [];
  const by = item.login === asker.login ? `by ${asker.login}` : '';
  const told = BY_LOGIN.has(what) ? by : what.startsWith('receipt ') ? '' : detail;
  const time = isoTime(atMs).slice(0, 19).replace('T', ' ');
  return [`${time} UTC  ${what}${told === '' ? '' : `: ${told}`}`];
}

function fileLine({ folder, name, isHere }: FileNow, { names, naming }: Asker): string {
  const sight = sightOf(naming, folder, name);
  const path = [names[sight.folder], sight.kind ?? '', sight.name].filter((part) => part !== '').join('/');
  return `${path}${isHere ? '' : ' (not there any more)'}`;
}

function fitted(lines: readonly string[]): string {
  const room = TEXT_BYTES - Buffer.byteLength(MORE) - 2;
  let text = '';
  for (const line of lines.map((each) => visible(each.slice(0, LINE_LENGTH_MAX).toWellFormed()))) {
    const next = `${text}${line}\n`;
    if (Buffer.byteLength(next) > room) {
      text += `${MORE}\n`;
      break;
    }
    text = next;
  }
  return `${text}${' '.repeat(TEXT_BYTES - Buffer.byteLength(text) - 1)}\n`;
}

// The sentences of receipts `tested`: what would become of a document, and why.
import type { Sender } from '#contract/addresses.ts';
import { errorAnswer, type ServiceError } from '#contract/errors.ts';
import { fatal, refusedFor } from '#domain/document.ts';
import type { ItemHead } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import { conflicting, refused } from '#gateway/model/receipt-sentences.ts';
import type { OptionalAnswer } from '#gateway/service/optional-question.ts';
import type { ReceiverAnswer } from '#gateway/service/receivers.ts';

/** What one question has shown: a refusal that would come, or a remark; nothing where all is well. */
export interface Foreseen {
  readonly no?: Outcome;
  readonly remark?: string;
}

/** The causes come first, as they would be met. */
export function foreseen(head: ItemHead | null, all: readonly Foreseen[]): Outcome {
  const noes = all.flatMap(({ no }) => no ?? []);
  const [first] = noes;
  const advice = noes.find((no) => no.advice)?.advice;
  const what = head ? `${head.family} ${head.documentId}` : 'The file';
  const verdict = `${what} would be ${first ? 'refused' : 'accepted'}.`;
  const remarks = all.flatMap(({ remark }) => remark ?? []);
  return {
    stage: 'tested',
    code: first?.code,
    action: first ? 'fix' : 'none',
    message: ['This was a test, and nothing was sent.', verdict, ...noes.map(({ message }) => message), ...remarks].join(' '),
    ...(advice && { advice }),
    seen: first?.seen ?? null,
    findings: noes.flatMap(({ findings = [] }) => findings),
  };
}

export const BEFORE: Foreseen = { remark: 'The service has it with the same content already, so it would not be sent again.' };

export function numberTaken(head: ItemHead, integrationId: string | null): Foreseen {
  return { no: conflicting(head, false, integrationId ?? 'its id is not known') };
}

export function numberUntold(): Foreseen {
  return { remark: 'None of this number was sent from here; whether the service has one cannot be asked now.' };
}

/** `addresses`: those of the account, as far as they are known here; its sender is one of them where there are any. */
export function senderSaid(head: ItemHead, accountRegNo: string, answer: OptionalAnswer<Sender>, addresses: readonly string[]): Foreseen {
  if (answer.kind === 'told') return answer.told.reason === null ? {} : { no: refused(strangerError(answer.told.reason), head, addresses) };
  if (addresses.length > 0) return {};
  const whether = `Whether ${head.sender} is an address of ${accountRegNo}`;
  return {
    remark:
      answer.kind === 'unknown'
        ? `${whether} is not known now: ${answer.reason}`
        : `${whether} cannot be checked here, for none is known of it: the service would tell.`,
  };
}

/** As the service would answer the document. */
function strangerError(reason: string): ServiceError {
  const { status, body } = errorAnswer(refusedFor([fatal('participant', reason)]));
  return { metadata: {}, ...body, status };
}

/** `isToldAtOnce`: the account wants to be told of receivers that cannot receive before they are looked up for hours. */
export function receiverSaid({ receiver, family }: ItemHead, answer: ReceiverAnswer, isToldAtOnce: boolean): Foreseen {
  if (answer.kind === 'cannot-be-asked')
    return { remark: `Whether ${receiver} can receive cannot be asked: the service does not have the question.` };
  if (answer.kind === 'unknown') return { remark: `Whether ${receiver} can receive is not known now: ${answer.reason}` };
  const { canReceive, reason, meant, takes } = answer.receiver;
  const code = isToldAtOnce ? 'receiver-unreachable' : 'receiver-unknown';
  const no = (message: string): Foreseen => ({ no: { stage: 'refused', code, action: 'fix', message } });
  if (canReceive === 'no') {
    const probably = meant === null ? '' : ` Probably ${meant} was meant, which can receive.`;
    return no(`${reason ?? `The receiver ${receiver} is not known on the network.`}${probably}`);
  }
  if (!takes.some((taken) => taken.family === family)) return no(`The receiver ${receiver} takes no ${family}.`);
  return { remark: `The receiver ${receiver} can receive it.` };
}

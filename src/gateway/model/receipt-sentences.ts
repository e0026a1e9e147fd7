// The sentences of receipts: what happened, and what the dropper has to do.
import type { Receiver } from '#contract/addresses.ts';
import type { ServiceError } from '#contract/errors.ts';
import { counted, durationText, sizeText } from '#domain/amounts.ts';
import { type Finding, findingsIn } from '#domain/document.ts';
import type { AppError } from '#domain/error.ts';
import { shortId } from '#domain/id.ts';
import type { NetworkAnswer, NetworkStage } from '#domain/receipt.ts';
import type { ReceiptCode } from '#domain/receipt-codes.ts';
import { seenHeadOf, whyUnreadable } from '#domain/unreadable.ts';
import type { SeenAccount, Stranger } from './account.ts';
import type { AcceptedVersion, ItemHead } from './item.ts';
import type { Outcome } from './outcome.ts';

/** `warnings`: what the service found, and took the document all the same. */
export function accepted(head: ItemHead, integrationId: string, warnings: readonly Finding[]): Outcome {
  const advice = warnings.length === 0 ? '' : ` It has ${counted(warnings.length, 'warning')}: see the findings.`;
  const message = `${head.family} ${head.documentId} was taken by the service.${advice}`;
  return { stage: 'accepted', action: 'none', message, integrationId, findings: warnings };
}

/** An earlier try had got through. */
export function adopted(head: ItemHead, integrationId: string): Outcome {
  const message = `${head.family} ${head.documentId} was found at the service, which has it from an earlier try.`;
  return { stage: 'accepted', action: 'none', message, integrationId };
}

/** It was sent again by a person, who could not know that nothing of it was lost. */
export function stillThere(head: ItemHead, reported: AcceptedVersion): Outcome {
  const message = `${head.family} ${head.documentId} is still at the service, as item ${shortId(reported.item)} has told.`;
  return { stage: 'accepted', action: 'none', message, integrationId: reported.integrationId, duplicateOf: reported.item };
}

export function duplicate(head: ItemHead, first: AcceptedVersion): Outcome {
  return {
    stage: 'duplicate',
    action: 'none',
    message: `${head.family} ${head.documentId} was accepted before with the same content (item ${shortId(first.item)}); it was not sent again.`,
    advice: (overwrite) => `To replace it at the service, drop it in ${overwrite}.`,
    integrationId: first.integrationId,
    duplicateOf: first.item,
  };
}

/** A person sent an accepted document again, and a later version of it was accepted meanwhile. */
export function superseded(head: ItemHead, by: AcceptedVersion): Outcome {
  const message = `${head.family} ${head.documentId} was not sent again: a later version of it was accepted since (item ${shortId(by.item)}).`;
  return { stage: 'cancelled', action: 'none', message };
}

/** It was dropped again for another receiver, while its first one was looked up; the service has nothing of it. */
export function redirected(head: ItemHead, by: Pick<ItemHead, 'receiver'>, item: string): Outcome {
  const message = `${head.family} ${head.documentId} was dropped again for ${by.receiver} (item ${shortId(item)}), so ${head.receiver} is looked for no more; the service has nothing of this file.`;
  return { stage: 'cancelled', action: 'none', message };
}

/** A person took it back; the service has nothing of it. */
export function cancelled(): Outcome {
  const message = 'The administrator cancelled the file; the service has nothing of it. To send it after all, drop it again.';
  return { stage: 'cancelled', action: 'none', message };
}

/** A person has looked what became of it, and closed the case. */
export function settled(): Outcome {
  const message = 'The administrator has looked what became of the file at the service, and closed the case; nothing more of it is sent.';
  return { stage: 'cancelled', action: 'none', message };
}

/** The bytes are no document that can be sent. The error says what to do. */
export function unreadable(error: AppError): Outcome {
  const advice = error.code === 'unreadable' ? '' : ' Repair the document and drop it again.';
  return {
    stage: 'refused',
    code: codeOf(error),
    seen: seenHeadOf(error),
    action: 'fix',
    message: `${error.message}${advice}`,
    findings: findingsIn(error.facts.details),
  };
}

function codeOf(error: AppError): ReceiptCode {
  if (error.code === 'unreadable') return whyUnreadable(error);
  return findingsIn(error.facts.details).some(({ rule }) => rule.startsWith('head-')) ? 'head-incomplete' : 'rule';
}

/** It can be read, but not sent: its head lacks something. What the rules found beyond that is told as well. */
export function headless(error: AppError, broken: readonly Finding[]): Outcome {
  const outcome = unreadable(error);
  const [first] = broken;
  if (!first) return outcome;
  // What stands in another namespace is there all the same: that it was not found would only mislead.
  if (broken.some(({ rule }) => rule === 'ubl-namespace')) {
    const message = `${first.message} ${counted(broken.length, 'finding')} in all. Repair the document and drop it again.`;
    return { ...outcome, message, findings: broken };
  }
  const message = `${error.message} The rules found more: ${counted(broken.length, 'finding')}. Repair the document and drop it again.`;
  return { ...outcome, message, findings: [...(outcome.findings ?? []), ...broken] };
}

/** The folder, or the home, says whose documents are dropped there, and this one says somebody else. */
export function wrongSender({ family, documentId }: ItemHead, { sender, belongsTo, dropped, addresses }: Stranger): Outcome {
  const owner = belongsTo === null ? 'belongs to nobody whose documents are dropped there' : `is the address of ${shown(belongsTo)}`;
  const message = `${family} ${documentId} was dropped for ${shown(dropped)} and has the sender ${sender}, which ${owner}, so it was not sent. ${ownAddresses(addresses)}Correct the sender, or drop the file where it belongs; if the address is right, the administrator must add it.`;
  return { stage: 'refused', code: 'sender-not-yours', action: 'fix', message };
}

/** As many as a sentence can hold. */
const ADDRESSES_MAX = 5;

function ownAddresses(addresses: readonly string[]): string {
  if (addresses.length === 0) return '';
  const more = addresses.length > ADDRESSES_MAX ? ` and ${counted(addresses.length - ADDRESSES_MAX, 'other')}` : '';
  return `It may be sent from ${addresses.slice(0, ADDRESSES_MAX).join(', ')}${more}. `;
}

function shown({ accountRegNo, folder }: SeenAccount): string {
  return folder === '' || folder === accountRegNo ? accountRegNo : `${accountRegNo} (folder ${folder})`;
}

/** The partner who dropped it may no longer act for the account. */
export function unlinked(accountRegNo: string): Outcome {
  const message = `Nobody here may act for account ${accountRegNo} any more, so the file is kept and nothing more of it is sent. When the account is linked again, the administrator sends it on its way (dropgate resend), or cancels it.`;
  return { stage: 'held', code: 'account-unlinked', action: 'wait', message };
}

/** An upload that was closed under a temporary name a while ago; it may keep that for `keptMs`. */
export function waitsForName(keptMs: number): Outcome {
  const message = `The file was uploaded under a temporary name and not renamed since, so it is not sent. Rename it to its real name, or upload it again; after ${durationText(keptMs)} it is refused.`;
  return { stage: 'waiting', code: 'temporary-name', action: 'rename', message };
}

/** Our own rules say no, where the account wants them asked before anything is sent. */
export function unsound(findings: readonly Finding[]): Outcome {
  const message = `The document breaks ${findings.length === 1 ? 'a rule' : `${findings.length} rules`}: see the findings. It was not sent. Repair it and drop it again; the same document number may be used.`;
  return { stage: 'refused', code: 'rule', action: 'fix', message, findings };
}

/** An envelope that is addressed otherwise than the document in it. */
export function contradicted(
  header: { readonly sender?: string | undefined; readonly receiver?: string | undefined },
  head: Pick<ItemHead, 'sender' | 'receiver'>,
): Outcome {
  const named = `${header.sender ?? head.sender} to ${header.receiver ?? head.receiver}`;
  const message = `The envelope goes from ${named}, but the document in it from ${head.sender} to ${head.receiver}. Nothing was sent. Correct whichever is wrong, or drop the document without its envelope.`;
  return { stage: 'refused', code: 'envelope-differs', action: 'fix', message };
}

export function unnamed(): Outcome {
  const message =
    'The file was uploaded under a temporary name and never renamed, so it was not sent. Upload it again, and rename it to its real name when it is complete.';
  return { stage: 'refused', code: 'temporary-name', action: 'resend', message };
}

export function tooLarge(size: number, max: number): Outcome {
  const message = `The file has ${sizeText(size)}; ${sizeText(max)} is the limit. Make it smaller, for example by leaving out attachments, and drop it again.`;
  return { stage: 'refused', code: 'too-large', action: 'fix', message };
}

export function changedOnDisk(): Outcome {
  const message =
    'The bytes in the spool are not those that were received, so nothing was sent. The administrator looks at the disk, and another receipt follows.';
  return { stage: 'held', code: 'bytes-changed', action: 'wait', message };
}

/** Its file has gone, and the ledger does not say how it ended. */
export function vanished(): Outcome {
  const message =
    'The gateway was restored from a backup, or its disk was damaged, and what became of this file is not known any more. If there is another receipt for it, that one counts. Otherwise ask the administrator.';
  return { stage: 'held', code: 'bytes-lost', action: 'wait', message };
}

/** The rules of the service that are no rules of documents, and what each says. */
const SERVICE_RULES: ReadonlyMap<string, ReceiptCode> = new Map([
  ['origin', 'number-of-another'],
  ['participant', 'sender-not-yours'],
]);

function codeOfService({ metadata }: ServiceError): ReceiptCode {
  const findings = findingsIn(metadata.details);
  const own = findings.flatMap(({ rule }) => SERVICE_RULES.get(rule) ?? [])[0];
  return own ?? (findings.length > 0 ? 'rule' : 'service-refused');
}

/** The service said no for good. `addresses`: those of the account, as far as they are known here. */
export function refused(error: ServiceError, { sender }: Pick<ItemHead, 'sender'>, addresses: readonly string[]): Outcome {
  const code = codeOfService(error);
  // The service may have named them itself, and knows better: it has just refused one that may be among them here.
  const others = code === 'sender-not-yours' ? addresses.filter((each) => each !== sender && !error.data.includes(each)) : [];
  return {
    stage: 'refused',
    code,
    action: 'fix',
    message: `The service refused the document: ${error.data} ${ownAddresses(others)}Repair it and drop it again; the same document number may be used.`,
    findings: findingsIn(error.metadata.details),
    error: { status: error.status, type: error.type, data: error.data },
  };
}

function unprocessable({ type, data }: ServiceError): Required<Outcome>['error'] {
  return { status: 422, type, data };
}

/** The receiver's address is unknown on the network; it is looked up again for about 20 hours. */
export function lookingUp(head: ItemHead, error: ServiceError): Outcome {
  const message = `The receiver ${head.receiver} is not known on the network. It is looked up again for about 20 hours. If the address is wrong, correct it and drop the document again.`;
  return { stage: 'delayed', code: 'receiver-unknown', action: 'wait', message, error: unprocessable(error) };
}

export function noReceiver(head: ItemHead, error: ServiceError): Outcome {
  const message = `The receiver ${head.receiver} is not known on the network, after several tries. Correct the address, or ask the receiver to register, and drop the document again.`;
  return { stage: 'refused', code: 'receiver-unknown', action: 'fix', message, error: unprocessable(error) };
}

/** The account wants to be told at once of a receiver that certainly cannot receive. */
export function unreachable({ receiver }: ItemHead, { reason, meant }: Pick<Receiver, 'reason' | 'meant'>, error: ServiceError): Outcome {
  const why = reason ?? `The receiver ${receiver} is not known on the network.`;
  const what =
    meant === null
      ? 'Correct the address, or ask the receiver to register,'
      : `Probably ${meant} was meant, which can receive: correct the address,`;
  const message = `${why} ${what} and drop the document again; the same document number may be used.`;
  return { stage: 'refused', code: 'receiver-unreachable', action: 'fix', message, error: unprocessable(error) };
}

/** It has not come to a try, or not to one that the service takes. */
export function waitsLong(reason: string | null): Outcome {
  const message = `The document has waited for hours${because(reason)} It is safe here and is sent as soon as it can be; do not send it again.`;
  return { stage: 'delayed', code: 'waits', action: 'wait', message };
}

export function delayed(reason: string): Outcome {
  const message = `The service does not answer (${reason}). The document is safe here and is tried again for three days; do not send it again.`;
  return { stage: 'delayed', code: 'service-silent', action: 'wait', message };
}

/** Another document with this id stands at the service. `uncertain`: one of our own attempts may have put it there. */
export function conflicting(head: ItemHead, uncertain: boolean, integrationId: string): Outcome {
  const what = `The service has another ${head.family} ${head.documentId} for ${head.receiver} (${integrationId}), with other content.`;
  return uncertain
    ? {
        stage: 'held',
        code: 'number-taken',
        action: 'wait',
        integrationId,
        message: `${what} An earlier try of this file may have got through, so the administrator must decide.`,
        advice: (overwrite) => `To replace what is there, drop the file in ${overwrite}.`,
      }
    : {
        stage: 'refused',
        code: 'number-taken',
        action: 'fix',
        integrationId,
        message: what,
        advice: (overwrite) => `Give the document a new number, or drop it in ${overwrite} to replace what is there.`,
      };
}

export function givenUp(reason: string): Outcome {
  const message = `After three days it is still not known whether the service has the document (${reason}). It is kept here; the administrator must look.`;
  return { stage: 'held', code: 'outcome-unknown', action: 'wait', message };
}

type NetworkSentence = (head: ItemHead, integrationId: string, cause: Cause) => Outcome;

/** Why a document has its status, as far as the service reports it: in words, and the answer from the network that decided. */
export interface Cause {
  readonly reason: string | null;
  readonly answer: (NetworkAnswer & { readonly findings: readonly Finding[] }) | null;
}

/** What the network did with a document that the service has. */
export const NETWORK_OUTCOMES: Readonly<Record<NetworkStage, NetworkSentence>> = {
  sent: ({ family, documentId, receiver }, integrationId) => ({
    stage: 'sent',
    action: 'none',
    integrationId,
    message: `${family} ${documentId} was taken by the network, for ${receiver}.`,
  }),
  delivered: ({ family, documentId, receiver }, integrationId, { answer }) => ({
    stage: 'delivered',
    action: 'none',
    integrationId,
    ...answeredBy(answer),
    message: `${family} ${documentId} was delivered to ${receiver}.`,
  }),
  rejected: ({ family, documentId, receiver }, integrationId, { reason, answer }) => ({
    stage: 'rejected',
    code: 'receiver-rejected',
    action: 'fix',
    integrationId,
    ...answeredBy(answer),
    message: `${family} ${documentId} was rejected by ${receiver}${because(reason)} Repair it and drop it again under the same number.`,
  }),
  failed: ({ family, documentId, receiver }, integrationId, { reason }) => ({
    stage: 'failed',
    code: 'not-delivered',
    action: 'resend',
    integrationId,
    message: `${family} ${documentId} could not be brought to ${receiver}${because(reason)} To have it tried again, drop it once more, under the same number.`,
  }),
};

function answeredBy(answer: Cause['answer']): Pick<Outcome, 'answer' | 'findings'> {
  if (!answer) return {};
  const { findings, ...rest } = answer;
  return { answer: rest, findings };
}

function because(reason: string | null): string {
  return reason === null ? '.' : `: ${reason.replace(/[.\s]*$/, '')}.`;
}

// A thread that reads documents beside the event loop. They have been taken when it sees them, so it gives way to transfers.
import { createHash } from 'node:crypto';
import type { Finding } from '#domain/document.ts';
import type { Repaired } from '#domain/receipt.ts';
import { type AnswerOptions, answerOrder } from '#rules/answer-order.ts';
import { isRefusedHere } from '#rules/judged-head.ts';
import { type RepairOptions, repaired } from '#rules/repair/repair.ts';
import { type Report, reportOn } from '#rules/report.ts';
import { validate } from '#rules/validate.ts';
import { giveWay } from '#runtime/threads/priority.ts';
import { answerTasks } from '#runtime/threads/thread.ts';
import { onlyAdds } from '#ubl/additions.ts';
import { canonicalHandlers } from '#ubl/canonical.ts';
import { readDocument } from '#ubl/document.ts';
import { partnerIn, unwrap } from '#ubl/envelope.ts';
import { createHeadReader, type ReadHead } from '#ubl/head.ts';
import { readTree } from '#ubl/read.ts';

export interface ReaderTasks {
  /** The head; and the digest of the canonical form where it is wanted, else ''. */
  inspect: {
    readonly asked: { readonly bytes: Uint8Array; readonly digest: boolean };
    readonly found: { readonly head: ReadHead; readonly sha256: string };
  };
  /** The findings that refuse it before it is sent, by the rules of a day (`YYYY-MM-DD`). */
  judge: { readonly asked: { readonly bytes: Uint8Array; readonly day: string }; readonly found: readonly Finding[] };
  /** All that is to be said about bytes, whatever they are, by the rules of a day. */
  report: { readonly asked: { readonly bytes: Uint8Array; readonly day: string }; readonly found: Report };
  /** The document with its forms repaired; null where that does not make it valid. */
  repair: { readonly asked: { readonly bytes: Uint8Array; readonly options: RepairOptions }; readonly found: Repaired | null };
  /** Whether theirs is ours with additions: every node of ours stands in theirs, in order. */
  contains: { readonly asked: { readonly ours: Uint8Array; readonly theirs: Uint8Array }; readonly found: boolean };
  /** The response to an order. */
  answer: { readonly asked: { readonly order: Uint8Array; readonly options: AnswerOptions }; readonly found: Uint8Array };
  /** The document in an envelope, and the participants that the header names. */
  unwrap: {
    readonly asked: { readonly bytes: Uint8Array };
    readonly found: { readonly document: Uint8Array; readonly sender: string | undefined; readonly receiver: string | undefined };
  };
}

/** Told to the dropper; a document may break more. */
const LIMITS = { findingsMax: 200, findingsPerRuleMax: 20 };

giveWay();
answerTasks<ReaderTasks>({
  inspect({ bytes, digest }) {
    const hash = createHash('sha256');
    const reader = createHeadReader(digest ? canonicalHandlers((piece) => hash.update(piece)) : undefined);
    reader.write(bytes);
    return { head: reader.end(), sha256: digest ? hash.digest('hex') : '' };
  },

  judge: async ({ bytes, day }) => (await validate(bytes, { day, limits: LIMITS })).findings.filter(isRefusedHere),

  report: ({ bytes, day }) => reportOn(bytes, { day, limits: LIMITS }),

  repair: ({ bytes, options }) => repaired(bytes, options),

  contains: ({ ours, theirs }) => onlyAdds(readDocument(ours).root, readDocument(theirs).root),

  answer: ({ order, options }) => answerOrder(readTree(order), options),

  unwrap({ bytes }) {
    const { header, document } = unwrap(bytes);
    return { document, sender: partnerIn(header, 'Sender'), receiver: partnerIn(header, 'Receiver') };
  },
});

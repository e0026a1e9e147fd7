// What is said about the files inside a document beyond the rules of its family, which know their media types.
import type { Finding } from '#domain/document.ts';
import { placeOf } from '#rules/engine/place.ts';
import { attachmentsOf } from '#ubl/attachments.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** Receivers commonly take this much; the limit of the whole document decides. */
const ATTACHMENT_BYTES_MAX = 5 * 1024 * 1024;
const MIB = 1024 * 1024;

/** A warning for each file that is larger than receivers commonly take. */
export function attachmentFindings(root: XmlElement): readonly Finding[] {
  return attachmentsOf(root).flatMap(({ element, name, sizeBytes }) => {
    if (element.text.length <= ATTACHMENT_BYTES_MAX) return [];
    const bytes = sizeBytes();
    if (bytes === null || bytes <= ATTACHMENT_BYTES_MAX) return [];
    const called = name === null ? 'An attachment' : `The attachment '${name.slice(0, 100)}'`;
    const size = (bytes / MIB).toFixed(1);
    const message = `${called} has ${size} MiB; receivers may refuse more than ${ATTACHMENT_BYTES_MAX / MIB}: make it smaller, or send a link to it (cac:ExternalReference).`;
    return [{ rule: 'attachment-size', severity: 'warning', message, ...placeOf(element) }];
  });
}

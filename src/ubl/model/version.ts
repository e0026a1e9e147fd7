// Which release of UBL a document follows: 2.1, and 2.3 where Peppol says so.
import type { XmlElement } from '#ubl/tree.ts';
import type { UblVersion } from './model.ts';

const LATER_ROOTS: ReadonlySet<string> = new Set(['OrderChange', 'OrderCancellation']);
/** The advanced order response shares its root with the order response, which is 2.1. */
const LATER_CUSTOMIZATION = /^urn:fdc:peppol\.eu:poacc:trns:order_response_advanced:3/;

export function versionFor(root: string, customizationId: string): UblVersion {
  const later = LATER_ROOTS.has(root) || (root === 'OrderResponse' && LATER_CUSTOMIZATION.test(customizationId.trim()));
  return later ? '2.3' : '2.1';
}

export function versionOf(root: XmlElement): UblVersion {
  return versionFor(root.name, root.children.find(({ tag }) => tag === 'cbc:CustomizationID')?.text ?? '');
}

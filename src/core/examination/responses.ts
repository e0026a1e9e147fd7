// Responses to messages of ours that come from the network: message level status, message level response, invoice response.
import type { Finding } from '#domain/document.ts';
import type { ReportedStatus } from '#domain/status.ts';
import { all, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** Who responds: the receiver of the message, or the receiver's service provider. */
type Responder = 'receiver' | 'provider';

interface Kind {
  readonly name: string;
  readonly customizationId: string;
  /** It refers to an envelope of ours; otherwise to a document, by its number. */
  readonly toEnvelope: boolean;
  readonly by: Responder;
  readonly accepting: readonly string[];
}

/** peppol-network.md, Responses. RE is the one code that rejects. */
const KINDS: readonly Kind[] = [
  { name: 'mls', customizationId: 'urn:peppol:edec:mls:1.0', toEnvelope: true, by: 'provider', accepting: ['AP', 'AB'] },
  { name: 'mlr', customizationId: 'urn:fdc:peppol.eu:poacc:trns:mlr:3', toEnvelope: true, by: 'receiver', accepting: ['AP', 'AB'] },
  {
    name: 'invoice-response',
    customizationId: 'urn:fdc:peppol.eu:poacc:trns:invoice_response:3',
    toEnvelope: false,
    by: 'receiver',
    accepting: ['AB', 'IP', 'UQ', 'CA', 'AP', 'PD'],
  },
];
const REJECTING = 'RE';

export interface NetworkResponse {
  readonly kind: string;
  readonly code: string;
  readonly reason: string | null;
  /** Of places in the document. */
  readonly findings: readonly Finding[];
  /** An envelope of ours, or a document, by `toEnvelope`. */
  readonly reference: string;
  readonly toEnvelope: boolean;
  readonly by: Responder;
  /** The status that the code gives the message; null for an unknown code. */
  readonly status: Extract<ReportedStatus, 'delivered' | 'rejected'> | null;
}

const RESPONSE = 'cac:DocumentResponse';
const LINE = `${RESPONSE}/cac:LineResponse`;
const REASON_CHARACTERS_MAX = 1_000;
const FINDINGS_MAX = 100;
const RULE_CHARACTERS_MAX = 100;

/** Reads a document as a response; undefined when it is none. */
export function responseIn(root: XmlElement): NetworkResponse | undefined {
  if (root.tag !== 'ApplicationResponse') return undefined;
  const stated = trimmed(root, 'cbc:CustomizationID');
  const kind = KINDS.find(({ customizationId }) => stated === customizationId || stated.startsWith(`${customizationId}:`));
  if (!kind) return undefined;
  const code = trimmed(root, `${RESPONSE}/cac:Response/cbc:ResponseCode`);
  return {
    kind: kind.name,
    code,
    reason: reasonIn(root),
    findings: findingsIn(root),
    reference: trimmed(root, `${RESPONSE}/cac:DocumentReference/cbc:ID`),
    toEnvelope: kind.toEnvelope,
    by: kind.by,
    status: statusOf(kind, code),
  };
}

function statusOf({ accepting }: Kind, code: string): NetworkResponse['status'] {
  if (code === REJECTING) return 'rejected';
  return accepting.includes(code) ? 'delivered' : null;
}

/** The status that the code of a message level status gives the message; null for an unknown code. */
export function statusByCode(code: string): NetworkResponse['status'] {
  const kind = KINDS.find(({ name }) => name === 'mls');
  return kind ? statusOf(kind, code) : null;
}

/** Service providers have a scheme of their own (SPIS), in which no trading party is registered. */
const PROVIDERS = /^0242:/;

/**
 * A response of this kind may come from that sender. No envelope says which provider a receiver has, but only the two providers and the
 * receiver know the envelope's id, which a status must repeat.
 */
export function mayRespond(by: Responder, sender: string, { receiver }: { readonly receiver: string }): boolean {
  return by === 'provider' ? PROVIDERS.test(sender) : sender === receiver;
}

/** The descriptions of the whole document, or, where there are none, of its lines. */
function reasonIn(root: XmlElement): string | null {
  const texts = (paths: readonly string[]): string =>
    paths
      .flatMap((path) => all(root, path))
      .map(({ text }) => text.trim())
      .filter(Boolean)
      .join(' ');
  const about = texts([`${RESPONSE}/cac:Response/cbc:Description`, `${RESPONSE}/cac:Response/cac:Status/cbc:StatusReason`]);
  return (about || texts([`${LINE}/cac:Response/cbc:Description`])).slice(0, REASON_CHARACTERS_MAX) || null;
}

/** Codes of a reason (StatusReasonCode) that do not make a document invalid. */
const WARNING = 'BW';
/** Stands for a line where the finding is about none. */
const NOWHERE = 'NA';

/** One finding for each sentence about each line. */
function findingsIn(root: XmlElement): Finding[] {
  const findings: Finding[] = [];
  for (const line of all(root, LINE)) {
    const path = trimmed(line, 'cac:LineReference/cbc:LineID').slice(0, REASON_CHARACTERS_MAX);
    for (const response of all(line, 'cac:Response')) {
      if (findings.length === FINDINGS_MAX) return findings;
      const rule = trimmed(response, 'cac:Status/cbc:StatusReasonCode') || trimmed(response, 'cbc:ResponseCode') || REJECTING;
      const message = (trimmed(response, 'cbc:Description') || trimmed(response, 'cac:Status/cbc:StatusReason')).slice(
        0,
        REASON_CHARACTERS_MAX,
      );
      const severity = rule === WARNING ? 'warning' : 'fatal';
      const where = path === '' || path === NOWHERE ? {} : { path };
      if (message) findings.push({ rule: rule.slice(0, RULE_CHARACTERS_MAX), severity, message, ...where });
    }
  }
  return findings;
}

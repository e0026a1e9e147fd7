// What tests say of a document that they want.
export interface DocumentOptions {
  readonly id?: string;
  readonly sender?: string;
  readonly receiver?: string;
  readonly issueDate?: string;
  /** Text of a note, to make contents differ. */
  readonly note?: string;
  /** Lines of a document; an order response that accepts all and a cancellation have none. */
  readonly lines?: number;
  /** Bytes of an embedded attachment of an invoice or credit note, before base64; 0 for none. */
  readonly attachmentBytes?: number;
}

export type All = Required<DocumentOptions>;

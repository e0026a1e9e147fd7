// The enrichment endpoints as data (decisions A1): what is asked for, and what a job answers.
import Type from 'typebox';
import { success } from './success.ts';

/** One poll of a job in so many seconds (specification, Limits). */
export const POLL_EVERY_S = 30;

/** What can be done here; any other type is known to others, and answered 501. */
export const ENRICHMENT_TYPES = ['capture'] as const;
export type EnrichmentType = (typeof ENRICHMENT_TYPES)[number];

const Types = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
  minItems: 1,
  maxItems: 20,
  description: 'What to do, for example `capture`.',
});

export const EnrichInvoice = Type.Object({
  fileName: Type.Optional(Type.String({ maxLength: 255 })),
  fileContent: Type.String({ minLength: 1, description: 'The file, in base64.' }),
  enrichmentTypes: Types,
  parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export const EnrichProducts = Type.Object({
  products: Type.Array(Type.Object({ id: Type.String({ maxLength: 200 }), product_name: Type.String({ maxLength: 500 }) }), {
    minItems: 1,
    maxItems: 1_000,
  }),
  enrichmentTypes: Types,
});

const PollingId = Type.String({ format: 'uuid' });

/** The job has been taken, or is still being worked on. */
export const EnrichmentPending = success(Type.Object({ pollingId: PollingId, state: Type.Literal('processing') }));

/** What has come of one type: `done` with the document and its findings, `failed` with a sentence. */
export const EnrichmentResult = Type.Object({
  type: Type.String(),
  state: Type.Union([Type.Literal('done'), Type.Literal('failed')]),
  /** The family of the document. */
  documentType: Type.Union([Type.String(), Type.Null()]),
  message: Type.Union([Type.String(), Type.Null()]),
  /** UBL JSON, under its family's name. */
  document: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  findings: Type.Array(
    Type.Object({ rule: Type.String(), severity: Type.String(), message: Type.String() }, { additionalProperties: true }),
  ),
});
export type EnrichmentResult = Type.Static<typeof EnrichmentResult>;

export const EnrichmentDone = success(Type.Array(EnrichmentResult));
export const EnrichmentOneDone = success(EnrichmentResult);

// The enrichment endpoints: jobs that are taken, and polled for.
import Type from 'typebox';
import { EnrichInvoice, EnrichmentDone, EnrichmentOneDone, EnrichmentPending, EnrichProducts } from '#contract/enrichment.ts';
import type { Caller } from '#core/access/authenticate.ts';
import { type JobParts, pollJob, takeJob } from '#core/enrichment/jobs.ts';
import { AppError } from '#domain/error.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import { AccountParams } from './query.ts';

const TAG = 'Enrichment';
const PollParams = Type.Object({
  ...AccountParams.properties,
  pollingId: Type.String({ format: 'uuid', description: 'As the POST answered it.' }),
});
const PollTypeParams = Type.Object({ ...PollParams.properties, enrichmentType: Type.String({ maxLength: 50 }) });

export function addEnrichment(server: HttpServer, parts: JobParts): void {
  const path = '/enrichment/:accountRegNo';
  const common = { tag: TAG, params: AccountParams, response: { 202: EnrichmentPending }, errors: [400, 403, 422, 501] };

  const invoice = { ...common, summary: 'Upload a document to be enriched', body: EnrichInvoice };
  server.post(`${path}/invoice`, { schema: invoice }, async ({ params, body, caller }, reply) => {
    allowed(caller);
    const { fileName = null, fileContent, enrichmentTypes } = body;
    const pollingId = await takeJob(parts, params.accountRegNo, { fileName, fileContent, enrichmentTypes });
    return reply.status(202).send(processing(pollingId));
  });

  const products = { ...common, summary: 'Have products categorised (not offered)', body: EnrichProducts };
  server.post(`${path}/categorisation`, { schema: products }, async ({ caller }) => {
    allowed(caller);
    throw new AppError('not-implemented', 'Products are not categorised by this service.');
  });

  const polled = { tag: TAG, errors: [400, 403, 404] };
  const all = { ...polled, summary: 'Poll for all results', params: PollParams, response: { 200: EnrichmentDone, 202: EnrichmentPending } };
  server.get(`${path}/:pollingId`, { schema: all }, async ({ params, caller }, reply) => {
    const results = await resultsFor(caller, params);
    return results ? reply.status(200).send({ status: 'success', data: results }) : reply.status(202).send(processing(params.pollingId));
  });

  const response = { 200: EnrichmentOneDone, 202: EnrichmentPending };
  const one = { ...polled, summary: 'Poll for the result of one type', params: PollTypeParams, response };
  server.get(`${path}/:pollingId/:enrichmentType`, { schema: one }, async ({ params, caller }, reply) => {
    const results = await resultsFor(caller, params);
    if (!results) return reply.status(202).send(processing(params.pollingId));
    const result = results.find(({ type }) => type === params.enrichmentType);
    if (!result) throw new AppError('missing', `The enrichment '${params.enrichmentType}' was not asked for.`);
    return reply.status(200).send({ status: 'success', data: result });
  });

  function resultsFor(caller: Caller | null, { accountRegNo, pollingId }: Type.Static<typeof PollParams>) {
    allowed(caller);
    return pollJob(parts, accountRegNo, pollingId);
  }
}

/** Enrichment is a feature of its own, off until an administrator or a partner switches it on (decisions A1). Throws `forbidden`. */
function allowed(caller: Caller | null): void {
  if (caller?.account?.features.capture) return;
  throw new AppError('forbidden', 'The feature capture is not enabled on this account.');
}

function processing(pollingId: string): Type.Static<typeof EnrichmentPending> {
  return { status: 'success', data: { pollingId, state: 'processing' } };
}

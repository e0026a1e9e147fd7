// `/openapi.json` and `/docs`: the API description, for programs and for people. They ask for no credentials.
import Type from 'typebox';
import { MEDIA_TYPE } from '#contract/headers.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import { openApi } from './openapi.ts';
import { type Operation, operationsOf, SERVICE } from './operation.ts';
import { PAGE_POLICY, pageOf } from './page.ts';

/** Describes every route that is added to the server after this. */
export function addDescription(server: HttpServer): void {
  const operations: Operation[] = [];
  let written: { readonly json: string; readonly page: string } | null = null;
  const write = (): NonNullable<typeof written> => {
    // The service's own operations come last: most readers look for the others.
    const inOrder = operations.toSorted((a, b) => Number(a.tag === SERVICE) - Number(b.tag === SERVICE));
    return { json: JSON.stringify(openApi(inOrder)), page: pageOf(inOrder) };
  };
  server.addHook('onRoute', (route) => void operations.push(...operationsOf(route)));

  const described = (summary: string, mediaType: string, schema: object) => ({
    schema: { summary, response: { 200: { content: { [mediaType]: { schema } } } } },
    config: { open: true },
  });
  server.get(
    '/openapi.json',
    described('This description', MEDIA_TYPE.json, Type.Object({ openapi: Type.String() })),
    async (_request, reply) => {
      written ??= write();
      return reply.header('content-type', MEDIA_TYPE.json).send(written.json);
    },
  );
  server.get('/docs', described('This description as a page', 'text/html', Type.String()), async (_request, reply) => {
    written ??= write();
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': PAGE_POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .send(written.page);
  });
}

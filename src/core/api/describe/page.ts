// The readable page of the API description: one HTML document, no script, nothing from elsewhere.
import { hash } from 'node:crypto';
import { ERRORS } from './errors.ts';
import { contentOf, INFO, parametersOf, requestBodyOf } from './openapi.ts';
import type { Operation } from './operation.ts';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc }
summary { cursor: pointer; padding: .25rem 0 }
summary b { display: inline-block; min-width: 3.5rem; text-transform: uppercase }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #eee }
details > * + * { margin-left: 1rem }
pre { overflow-x: auto; background: #f6f6f6; padding: .75rem; font-size: .8rem }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #161616 } pre { background: #222 } h2, th, td { border-color: #444 } a { color: #8ab4f8 } }
`;

/** Nothing is loaded, run, framed or sent; only the style above applies. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function pageOf(operations: readonly Operation[]): string {
  const sections = [...Map.groupBy(operations, ({ tag }) => tag)].map(([tag, under]) => `<h2>${text(tag)}</h2>${detailsOf(under)}`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${text(INFO.title)}</title><style>${STYLE}</style></head>
<body><h1>${text(INFO.title)} ${text(INFO.version)}</h1>
<p>${text(INFO.description)}</p><p>For programs: <a href="/openapi.json">openapi.json</a></p>
${sections.join('\n')}
<h2>Errors</h2>${errorTable()}
</body></html>
`;
}

/** The methods of one path stand together. */
function detailsOf(operations: readonly Operation[]): string {
  return [...Map.groupBy(operations, ({ path }) => path).values()]
    .flat()
    .map((operation) => {
      const { method, path, summary } = operation;
      const heading = `<summary><b>${text(method)}</b> <code>${text(path)}</code><br>${text(summary)}</summary>`;
      return `<details>${heading}${parameterTable(operation)}${requestOf(operation)}${responsesOf(operation)}</details>`;
    })
    .join('\n');
}

function parameterTable(operation: Operation): string {
  const rows = parametersOf(operation).map(
    ({ name, in: location, required, description, schema }) =>
      `<tr><td><code>${text(name)}</code></td><td>${location}${required ? ', required' : ''}</td><td>${text(description)}</td><td><code>${text(typeOf(schema))}</code></td></tr>`,
  );
  if (rows.length === 0) return '';
  return `<table><tr><th>Parameter</th><th>In</th><th>Meaning</th><th>Type</th></tr>${rows.join('')}</table>`;
}

function typeOf(schema: object): string {
  return Object.entries(schema)
    .filter(([key]) => key !== 'description')
    .map(([key, value]) => (key === 'type' ? String(value) : `${key} ${JSON.stringify(value)}`))
    .join(', ');
}

function requestOf(operation: Operation): string {
  return operation.body ? `<p>Request body</p><pre>${json(requestBodyOf(operation))}</pre>` : '';
}

function responsesOf({ successes, errors }: Operation): string {
  const answers = Object.entries(successes).map(([status, { description, content }]) => {
    const body = Object.keys(content).length > 0 ? `<pre>${json(contentOf(content))}</pre>` : '';
    return `<p><b>${text(status)}</b> ${text(description)}</p>${body}`;
  });
  const links = errors.map((status) => `<a href="#error-${status}">${status}</a>`);
  return `<div>${[...answers, ...links].join(' ')}</div>`;
}

function errorTable(): string {
  const rows = [...ERRORS].map(
    ([status, { types, description, schema }]) =>
      `<tr id="error-${status}"><td>${status}</td><td>${types.map((type) => `<code>${text(type)}</code>`).join('<br>')}</td><td>${text(description)}<details><summary>Body</summary><pre>${json(schema)}</pre></details></td></tr>`,
  );
  return `<table><tr><th>Status</th><th>Type</th><th>Meaning</th></tr>${rows.join('')}</table>`;
}

function json(value: unknown): string {
  return text(JSON.stringify(value, null, 2));
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function text(value: string): string {
  return value.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

// Who is connected now, and who did not get in lately, and why.
import type { AnswerOf } from '#operations/table.ts';
import { html } from './html.ts';
import { firstOf, section } from './parts.ts';
import type { Look } from './visit.ts';
import { address, link, moment, size } from './words.ts';

type Row = AnswerOf<'connections'>[number];
type Failed = Extract<Row, { readonly at: string }>;
type Present = Exclude<Row, Failed>;

const isFailed = (row: Row): row is Failed => 'at' in row;
const isPresent = (row: Row): row is Present => !isFailed(row);
const ROWS_MAX = 200;

export const connections: Look = async ({ ask, nowMs }) => {
  const [now, failed] = await Promise.all([ask('connections', {}), ask('connections', { failed: true })]);
  const present = {
    login: ({ login }: Present) => login !== null && link(address('/login-of', { id: login }), login),
    address: (row: Present) => html`<code>${row.address}</code>`,
    client: ({ client }: Present) => client,
    since: ({ since }: Present) => moment(since, nowMs),
    received: ({ received }: Present) => size(received),
    sent: ({ sent }: Present) => size(sent),
    doing: ({ login, doing }: Present) => (login === null ? 'logs in' : doing.join(', ') || 'nothing'),
  };
  const refused = {
    last: ({ at }: Failed) => moment(at, nowMs),
    times: ({ times }: Failed) => `${times}×`,
    address: (row: Failed) => html`<code>${row.address}</code>`,
    login: ({ login }: Failed) => login,
    client: ({ client }: Failed) => client,
    why: ({ explanation }: Failed) => explanation,
  };
  const body = html`<h1>Connections</h1>
${section('Now', firstOf('SFTP connections that are open', present, now.filter(isPresent), 'Nobody is connected.', ROWS_MAX))}
${section('Did not get in', firstOf('Connections that came to nothing', refused, failed.filter(isFailed), 'Nobody was refused lately.', ROWS_MAX))}`;
  return { title: 'Connections', body };
};

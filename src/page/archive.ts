// The archive: whose documents it holds, from when to when, and how far its days are closed; and what is told when it is verified.
import type { AnswerOf } from '#operations/table.ts';
import { toldUnknowable, toldWhole } from '#operations/verified-words.ts';
import { type Html, html, type Part } from './html.ts';
import { listing } from './pages-of-list.ts';
import { button, buttons, firstOf } from './parts.ts';
import type { Look, View } from './visit.ts';
import { accountLink, badge, link } from './words.ts';

type Archived = AnswerOf<'archive.list'>[number];
type Verified = AnswerOf<'archive.verify'>;
type Difference = Verified['differences'][number];

const DIFFERENCES = 200;

export const archive: Look = (visit) =>
  listing<Archived>(
    visit,
    {
      title: 'Archive',
      path: '/archive',
      nothing: 'No account has an archive. `dropgate account receiving ACCOUNT --archive 3650d` begins one.',
      nameOf: ({ accountRegNo }) => accountRegNo,
      rowsOf: (page) => visit.ask('archive.list', { page }),
      columns: {
        account: ({ accountRegNo }) => accountLink(accountRegNo),
        days: ({ days }) => days,
        from: ({ first }) => first,
        to: ({ last }) => last,
        'closed up to': ({ closed }) => closed,
        verify: ({ accountRegNo }) => button('verify-archive', accountRegNo, 'Verify'),
      },
    },
    buttons([button('verify-archive', '', 'Verify all')]),
  );

/** `asked`: of that account alone. */
export function verifiedArchive(verified: Verified, asked?: string): View {
  return { title: 'Verify the archive', body: html`<h1>Archive</h1>${resultOf(verified, asked)}<p>${link('/archive', 'Go on')}</p>` };
}

function resultOf(verified: Verified, asked?: string): Html {
  const { differences } = verified;
  if (differences.length === 0) return html`<p class="question" role="status">${badge('well')} ${toldWhole(verified, asked)}</p>`;
  const columns = {
    problem: ({ problem }: Difference) => html`<span class="badge bad">${problem}</span>`,
    account: ({ accountRegNo }: Difference): Part => accountLink(accountRegNo),
    day: ({ day }: Difference) => day,
    file: ({ file }: Difference) => file ?? 'the whole day',
  };
  return html`<p class="failed" role="alert">It is not as it was when its days were closed.</p>
${toldUnknowable(verified).map((sentence) => html`<p>${sentence}</p>`)}${firstOf('What differs', columns, differences, '', DIFFERENCES)}`;
}

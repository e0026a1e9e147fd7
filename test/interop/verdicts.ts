// A document that breaks a rule, uploaded by a login with verdicts at CLOSE: what each client's user sees of the refusal, and whether a receipt tells it, too.
import { expect } from 'vitest';
import { invoice } from '../support/documents.ts';
import { changed } from '../support/judged.ts';
import type { Ran } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import type { Client } from './client.ts';
import type { Behaviour, Play } from './play.ts';
import { STRICT } from './stage.ts';

/** What the server says of it. */
export const SENTENCE =
  'The document was refused, and nothing was taken. The amount to pay is 99.99 but it is made of one amount only, total with VAT 495.00: ' +
  'correct cac:LegalMonetaryTotal/cbc:PayableAmount or the amounts it follows from. (BR-CO-16, line 90)';

/** It is shown so in the table. */
const SHORT = 'SENTENCE';

/** A local file, and the name that it gets. */
interface Refused {
  readonly name: string;
  readonly local: string;
}

export const VERDICTS: readonly Behaviour[] = [
  {
    title: 'refused put',
    needs: ['put'],
    columns: ['looks at the answer to CLOSE', 'put: exit status', 'put: what a person sees', 'receipt `refused`'],
    async show(play) {
      const { stage, client, verbs } = play;
      const before = stage.daemon.spooled().length;
      const refused = prepare(play);
      const { name, local } = refused;
      const ran = await verbs.put(stage.as(STRICT), local, `/inbox/${name}`);
      if (client.ignoresClose) await stage.receipts(name, 'refused');
      else expect(ran.status, ran.out + ran.err).not.toBe(0);
      if (ran.status !== 0) mustTell(client, ran);
      await nothingTaken(play, name, before);
      const isReported = stage.receiptsOf(name).length > 0;
      return [client.ignoresClose ? 'no' : 'yes', String(ran.status), seen(client, ran, refused), isReported ? 'written' : 'none'];
    },
  },
  {
    title: 'refused rename',
    needs: ['putBeside'],
    columns: ['rename: exit status', 'rename: what a person sees'],
    async show(play) {
      const { stage, client, verbs } = play;
      const before = stage.daemon.spooled().length;
      const refused = prepare(play);
      const { name, local } = refused;
      const ran = await verbs.putBeside(stage.as(STRICT), local, `/inbox/${name}.tmp`, `/inbox/${name}`);
      expect(ran.status, ran.out + ran.err).not.toBe(0);
      mustTell(client, ran);
      await nothingTaken(play, name, before);
      expect(stage.receiptsOf(name)).toEqual([]);
      return [String(ran.status), seen(client, ran, refused)];
    },
  },
];

function prepare({ stage }: Play): Refused {
  const name = stage.name();
  const wrong = changed(invoice({ id: name }), [/(<cbc:PayableAmount[^>]*>)[\d.]+/, '$199.99']);
  return { name, local: stage.local(wrong) };
}

function mustTell({ showsSentences }: Client, { out, err }: Ran): void {
  if (showsSentences) expect(out + err).toContain(SENTENCE);
}

/** Nothing is left in the spool, and nothing was sent. */
async function nothingTaken({ stage }: Play, name: string, before: number): Promise<void> {
  await until('nothing of it to be left', () => stage.daemon.spooled().length <= before);
  const told = stage.receiptsOf(name).map((each) => each.split('.').at(-2));
  expect(told.filter((stage) => stage !== 'refused')).toEqual([]);
  expect(stage.accepted(name)).toEqual([]);
}

/** The line that tells it, without what differs from one run to the next. */
function seen({ tells = /^\S/ }: Client, { out, err }: Ran, { name, local }: Refused): string {
  const lines = `${out}\n${err}`.split(/\r?\n/);
  const line = lines.findLast((each) => each.includes(SENTENCE)) ?? (err === '' ? undefined : lines.findLast((each) => tells.test(each)));
  if (!line) return 'nothing';
  const localName = local.slice(local.lastIndexOf('/') + 1);
  const same = [
    [SENTENCE, SHORT],
    [/^Error: (request \d+: status \d+: )?/, ''],
    [local, '/invoice.xml'],
    [encodeURI(local), '/invoice.xml'],
    [localName, 'invoice.xml'],
    [name, 'invoice.xml'],
    [/127\.0\.0\.1:\d+/, 'HOST'],
    [/\/tmp\/tmp\.\w+/, ''],
    [/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /, ''],
    [/^\/\S*\//, ''],
  ] as const;
  return `\`\` ${same.reduce((text, [from, to]) => text.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'g'), to), line)} \`\``;
}

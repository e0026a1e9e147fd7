// Folders that answer, and the files that they answer by: what each client must get out of them. A row for each.
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { EXTENSIONS } from '#domain/receipt-forms.ts';
import { BUYER, documentOf, invoice, SELLER } from '../support/documents.ts';
import { changed } from '../support/judged.ts';
import { until } from '../support/until.ts';
import type { Door } from './client.ts';
import { type Behaviour, type Play, well } from './play.ts';
import { OF_FORMS, type Stage } from './stage.ts';

export const ANSWERS: readonly Behaviour[] = [
  {
    title: 'put to be tested',
    needs: ['put', 'get'],
    async show(play) {
      const { stage, verbs } = play;
      const [good, wrong] = [stage.name(), stage.name()];
      const right = (id: string): Buffer => Buffer.from(invoice({ id: `T/${id}` }));
      for (const [name, bytes, code, would] of [
        [good, right(good), null, 'would be accepted. '],
        [wrong, changed(right(wrong), [/(<cbc:PayableAmount[^>]*>)[\d.]+/, '$199.99']), 'rule', 'would be refused. '],
      ] as const) {
        well(await verbs.put(stage.door, stage.local(bytes), `/inbox/test/${name}`));
        await stage.receipts(name, 'tested', 2);
        const reports = stage.receiptsOf(name);
        expect(reports.map((each) => each.split('.').slice(-2).join('.')).sort()).toEqual(['tested.json', 'tested.txt']);
        const [asJson = '', asText = ''] = reports.sort();
        expect(JSON.parse(await got(play, stage.door, `/receipts/${asJson}`))).toMatchObject({
          stage: 'tested',
          code,
          documentId: `T/${name}`,
        });
        expect(await got(play, stage.door, `/receipts/${asText}`)).toContain(`nothing was sent. Invoice T/${name} ${would}`);
      }
      // A document that was dropped would have its row.
      expect(await got(play, stage.door, '/status/today.csv')).not.toContain('T/');
    },
  },
  {
    title: 'a receiver looked up',
    needs: ['get'],
    async show(play) {
      for (const [address, answer] of [
        [BUYER, /^can receive: yes\nInvoice: .*peppol-billing/],
        ['0208:0123456789', /^can receive: no\nwhy: .* The check digit of 0208:0123456789 is wrong\.\n/],
      ] as const)
        expect(await got(play, play.stage.door, `/lookup/${address}.txt`)).toMatch(answer);
    },
  },
  {
    title: 'an order moved to be answered',
    needs: ['rename'],
    async show({ stage, verbs }) {
      for (const to of ['accept/of NAME', 'reject/too dear, NAME.txt', 'query/which colour, NAME.txt']) {
        const name = stage.name();
        const [folder = '', moved = ''] = to.replace('NAME', name).split('/');
        const order = Buffer.from(documentOf('Order', { id: name, sender: BUYER, receiver: SELLER }));
        stage.place(name, order);
        well(await verbs.rename(stage.door, `/outbox/${name}`, `/answer/${folder}/${moved}`));
        expect(readFileSync(stage.daemon.home('seller', 'answer', folder, moved)).equals(order)).toBe(true);
        well(await verbs.rename(stage.door, `/answer/${folder}/${moved}`, `/outbox/${name}`));
        expect(stage.daemon.files('seller', 'outbox')).toContain(name);
        rmSync(stage.daemon.home('seller', 'outbox', name));
      }
    },
  },
  {
    title: 'an order moved below its reason',
    needs: ['makeFolder', 'rename'],
    async show({ stage, verbs }) {
      for (const answer of ['reject', 'query']) {
        const name = stage.name();
        const order = Buffer.from(documentOf('Order', { id: name, sender: BUYER, receiver: SELLER }));
        const reason = `zu spät, ${name}`;
        stage.place(name, order);
        well(await verbs.makeFolder(stage.door, `/answer/${answer}/${reason}`));
        well(await verbs.rename(stage.door, `/outbox/${name}`, `/answer/${answer}/${reason}/${name}`));
        const moved = stage.daemon.home('seller', 'answer', answer, reason, name);
        expect(readFileSync(moved).equals(order)).toBe(true);
        // It would be answered in a minute, which is not waited for here.
        rmSync(dirname(moved), { recursive: true });
      }
    },
  },
  {
    title: 'status of a document',
    needs: ['put', 'get'],
    async show(play) {
      const { stage, verbs } = play;
      const name = stage.name();
      const number = `S/${name}`;
      well(await verbs.put(stage.door, stage.local(Buffer.from(invoice({ id: number }))), `/inbox/${name}`));
      await stage.receipts(name, 'accepted');
      const text = await got(play, stage.door, `/status/S%2F${name}.txt`);
      expect(text).toContain(`Invoice ${number} was taken by the service.`);
      // All of it, to the spaces at its end.
      expect(Buffer.byteLength(text)).toBe(2_048);
      await until('its row', async () => (await got(play, stage.door, '/status/today.csv')).includes(`,${number},`));
      const refused = await verbs.put(stage.door, stage.local(stage.invoice()), '/status/mine.txt');
      expect(refused.status, refused.out + refused.err).not.toBe(0);
    },
  },
  {
    title: 'receipts of other forms, a suggested repair',
    needs: ['put', 'get'],
    async show(play) {
      const { stage, verbs } = play;
      for (const { login, participants, receipts } of OF_FORMS) {
        const name = stage.name();
        const right = invoice({ id: name, sender: participants[0], issueDate: '2026-05-31' });
        well(await verbs.put(stage.as(login), stage.local(changed(right, ['2026-05-31', '31.05.2026'])), `/inbox/${name}`));
        const fileOf = (folder: string, end: string): Promise<string> =>
          until(`${end} of ${name}`, () =>
            stage.daemon.files(login, folder).find((each) => each.startsWith(name.slice(0, name.indexOf('.') + 1)) && each.endsWith(end)),
          );
        const receipt = await fileOf('receipts', `.refused.${EXTENSIONS[receipts]}`);
        expect(await got(play, stage.as(login), `/receipts/${receipt}`)).toMatch(HEADS[receipts]);
        const suggested = await fileOf('refused', '.suggested.xml');
        expect(await got(play, stage.as(login), `/refused/${suggested}`)).toBe(Buffer.from(right).toString());
      }
    },
  },
  {
    title: 'a suggested repair, sent',
    needs: ['put', 'rename'],
    async show({ stage, verbs }) {
      const [{ login, participants }] = OF_FORMS;
      const [name, repaired] = [stage.name(), stage.name()];
      const right = invoice({ id: name, sender: participants[0], issueDate: '2026-05-31' });
      well(await verbs.put(stage.as(login), stage.local(changed(right, ['2026-05-31', '31.05.2026'])), `/inbox/${name}`));
      const isSuggested = (each: string): boolean => each.startsWith(name.slice(0, -3)) && each.endsWith('.suggested.xml');
      const suggested = await until('the repaired one', () => stage.daemon.files(login, 'refused').find(isSuggested));
      well(await verbs.rename(stage.as(login), `/refused/${suggested}`, `/inbox/${repaired}`));
      await receiptOf(stage, login, repaired, 'accepted');
    },
  },
  {
    title: 'tested, or refused for its receiver, as a table',
    needs: ['put', 'get'],
    async show(play) {
      const { stage, verbs } = play;
      const [{ login, participants }] = OF_FORMS;
      for (const [folder, told, line] of [
        ['inbox/test', 'tested', /\btested\b.*\breceiver-unreachable\b/],
        ['inbox', 'refused', /\brefused\b.*\breceiver-unreachable\b/],
      ] as const) {
        const name = stage.name();
        const nowhere = invoice({ id: name, sender: participants[0], receiver: NOBODY });
        well(await verbs.put(stage.as(login), stage.local(Buffer.from(nowhere)), `/${folder}/${name}`));
        const receipt = await receiptOf(stage, login, name, told);
        expect(await got(play, stage.as(login), `/receipts/${receipt}`)).toMatch(line);
      }
    },
  },
  {
    title: 'a reconciliation file and its signature',
    needs: ['get'],
    async show(play) {
      const { stage } = play;
      for (const { login } of OF_FORMS) {
        const names = stage.daemon.files(login, 'receipts').filter((name) => name.includes('.reconciliation.csv'));
        expect(names.map((name) => name.slice('2026-01-01'.length))).toEqual(
          expect.arrayContaining(['.reconciliation.csv', '.reconciliation.csv.sig']),
        );
        for (const name of names.slice(0, 2)) {
          const bytes = stage.daemon.read(login, 'receipts', name).toString();
          expect(await got(play, stage.as(login), `/receipts/${name}`)).toBe(bytes);
        }
      }
    },
  },
  {
    title: 'status and lookup listed',
    needs: ['put', 'list'],
    async show({ stage, verbs }) {
      const name = stage.name();
      well(await verbs.put(stage.door, stage.local(Buffer.from(invoice({ id: name }))), `/inbox/${name}`));
      await stage.receipts(name, 'accepted');
      expect(well(await verbs.list(stage.door, '/status')).out).toEqual(expect.stringContaining(`${name}.txt`));
      expect(well(await verbs.list(stage.door, '/status')).out).toContain('today.csv');
      expect(well(await verbs.list(stage.door, '/lookup')).out).not.toContain('.xml');
    },
  },
];

/** An address that nobody has. */
const NOBODY = '0088:7300010000056';

/** The receipt of a form that is no JSON. */
function receiptOf(stage: Stage, login: string, file: string, told: string): Promise<string> {
  const isIt = (name: string): boolean => name.startsWith(`${file}.`) && name.endsWith(`.${told}.csv`);
  return until(`receipt '${told}' of ${file}`, () => stage.daemon.files(login, 'receipts').find(isIt));
}

const HEADS = { csv: /^receipt,.*\r\n/, ubl: /^<\?xml[^>]*\?>\s*<ApplicationResponse/ };

/** What `get` brings. */
async function got({ stage, verbs }: Pick<Play, 'stage' | 'verbs'>, door: Door, remote: string): Promise<string> {
  const local = stage.nowhere();
  well(await verbs.get(door, remote, local));
  return readFileSync(local, 'utf8');
}

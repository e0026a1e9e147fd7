// Folders that answer: what each client must get out of them. A row for each.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { invoice } from '../support/documents.ts';
import { until } from '../support/until.ts';
import type { Behaviour } from './play.ts';

export const ANSWERS: readonly Behaviour[] = [
  {
    title: 'status of a document',
    needs: ['put', 'get'],
    async show({ stage, verbs }) {
      const name = stage.name();
      const number = `S/${name}`;
      expect((await verbs.put(stage.door, stage.local(Buffer.from(invoice({ id: number }))), `/inbox/${name}`)).status).toBe(0);
      await stage.receipts(name, 'accepted');
      const got = async (remote: string): Promise<string> => {
        const local = stage.nowhere();
        const ran = await verbs.get(stage.door, remote, local);
        expect(ran.status, ran.out + ran.err).toBe(0);
        return readFileSync(local, 'utf8');
      };
      const text = await got(`/status/S%2F${name}.txt`);
      expect(text).toContain(`Invoice ${number} was taken by the service.`);
      // All of it, to the spaces at its end.
      expect(Buffer.byteLength(text)).toBe(2_048);
      await until('its row', async () => (await got('/status/today.csv')).includes(`,${number},`));
      const refused = await verbs.put(stage.door, stage.local(stage.invoice()), '/status/mine.txt');
      expect(refused.status, refused.out + refused.err).not.toBe(0);
    },
  },
];

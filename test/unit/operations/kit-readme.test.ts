// What a connection kit's README promises is what docs/erp.md promises, and what the gateway does.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TEMPORARY_ENDINGS } from '#gateway/model/intake.ts';
import { namesOf } from '#gateway/model/layout.ts';
import { ANSWERS } from '#gateway/model/rule-words.ts';
import { contractFile } from '#operations/kit/contract.ts';
import { foldersAmongFiles, type KitFacts } from '#operations/kit/facts.ts';
import { KIT_FACTS } from '../../support/kit-facts.ts';

const { text } = contractFile(KIT_FACTS);
const readme = text.replaceAll(/\s+/g, ' ');
const manual = readFileSync(new URL('../../../docs/erp.md', import.meta.url), 'utf8');

describe("a kit's README", () => {
  it.each(TEMPORARY_ENDINGS)('tells that names with %s wait for a rename, and so does the manual', (ending) => {
    expect(readme).toContain(` ${ending} `);
    expect(manual).toContain(`\`${ending}\``);
  });

  it('says times in words', () => {
    expect(readme).toContain('for 20 minutes');
    expect(readme).toContain('after 12 hours');
    expect(readme).toContain('after 30 days');
  });

  it('says that another receipt follows held, and that what failed is put once more', () => {
    expect(readme).toContain('accepted, duplicate, refused and cancelled are the last word');
    expect(readme).toContain('After held one of them follows');
    expect(readme).toContain('failed (put it once more, under the same number)');
  });

  it('names each folder that answers as the login sees it, and no other', () => {
    expect(foldersIn(KIT_FACTS)).toEqual(['/inbox', '/inbox/overwrite', '/inbox/tmp', '/receipts', '/outbox', '/accepted', '/refused']);
    const answering = { ...KIT_FACTS, answers: ANSWERS, names: namesOf('flat') };
    const taken = ['/receipts', '/', '/accepted', '/refused', '/lookup', '/status', '/answer'];
    expect(foldersIn(answering)).toEqual(['/send', '/send/overwrite', '/send/tmp', '/send/test', ...taken]);
    expect(foldersIn({ ...answering, readOnly: true })).toEqual(taken);
    expect(foldersAmongFiles(answering)).toEqual(['send', 'receipts', 'accepted', 'refused', 'lookup', 'status', 'answer']);
  });

  it('names folders in folders, those of kinds, and those where results lie', () => {
    const names = namesOf('incoming-outgoing-kinds');
    const facts = { ...KIT_FACTS, names, kinds: ['Invoices'], resultsIn: ['success', 'error'] };
    const taken = ['/receipts', '/Outgoing', '/Outgoing/Invoices', '/Archive/Incoming', '/refused'];
    expect(foldersIn(facts)).toEqual(['/Incoming', '/Incoming/overwrite', '/Incoming/tmp', ...taken]);
    const told = contractFile(facts).text.replaceAll(/\s+/g, ' ');
    expect(told).toContain('The last word on a file may lie in /success or /error instead');
    expect(told).toContain('Files in /Outgoing, and in the folders below it, are complete');
    expect(foldersAmongFiles(facts)).toEqual(['Invoices']);
    const flat = { ...KIT_FACTS, names: namesOf({ outbox: '', inbox: 'a/in', refused: 'a/no' }) };
    expect(foldersAmongFiles(flat)).toEqual(['a', 'receipts', 'accepted']);
  });
});

/** Those of the section FOLDERS. */
function foldersIn(facts: KitFacts): string[] {
  const section = /FOLDERS\r\n([\s\S]*?)(?=\r\n\r\n[A-Z]+\r\n)/.exec(contractFile(facts).text)?.[1] ?? '';
  return [...section.matchAll(/^(\/\S*)/gm)].map(([folder]) => folder);
}

// The codes of receipts: the list, docs/erp.md and the places that give them say the same.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RECEIPT_CODES } from '#domain/receipt-codes.ts';

const LISTS: ReadonlySet<string> = new Set(['domain/receipt-codes.ts', 'domain/unreadable.ts']);
const STAGES = ['delayed', 'failed', 'held', 'refused', 'rejected', 'turned-away', 'waiting'];

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && !LISTS.has(name));
const texts = new Map(sources.map((name) => [name, readFileSync(`src/${name}`, 'utf8')]));

describe('the codes of receipts', () => {
  it('are those of docs/erp.md, each with the stages in which it comes', () => {
    const manual = readFileSync('docs/erp.md', 'utf8');
    const table = manual.slice(manual.indexOf('| code | in receipts of stage |'), manual.indexOf('What `delayed` means'));
    const rows = [...table.matchAll(/^\| `([a-z-]+)` \| (`.*`) \| .+\. \|$/gm)].map(([, code, stages = '']) => ({ code, stages }));
    expect(rows.map(({ code }) => code).sort()).toEqual([...RECEIPT_CODES].sort());
    for (const { stages } of rows) for (const stage of stages.split(', ')) expect(STAGES).toContain(stage.replaceAll('`', ''));
  });

  it('are all given somewhere', () => {
    const given = [...texts.values()].join('\n');
    expect(RECEIPT_CODES.filter((code) => !given.includes(`'${code}'`))).toEqual([]);
  });

  it('stand in every refusal of bytes that are no document', () => {
    const bare = [...texts].filter(([name, text]) => name.startsWith('ubl/') && text.includes("new AppError('unreadable'"));
    expect(bare.map(([name]) => name)).toEqual([]);
  });
});

// The examples in docs/api.md, run.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { readTree } from '#ubl/read.ts';
import { readJsonTree } from '#ubl/read-json.ts';
import { writeXml } from '#ubl/write.ts';
import { writeJson } from '#ubl/write-json.ts';

const manual = readFileSync('docs/api.md', 'utf8');
const section = manual.slice(manual.indexOf('## UBL JSON'), manual.indexOf('## Webhooks'));
const blocks = (language: string): Uint8Array[] =>
  [...section.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => new TextEncoder().encode(text));
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
const withoutSpace = (json: string): string => json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');

describe('the examples of UBL JSON', () => {
  const [xml = new Uint8Array()] = blocks('xml');
  const [model = new Uint8Array(), mixed = new Uint8Array()] = blocks('json');

  it('XML becomes the JSON that is shown', () => {
    expect(withoutSpace(text(writeJson(readTree(xml))))).toBe(withoutSpace(text(model)));
  });

  it('both spellings of the JSON become that XML', () => {
    const expected = writeXml(readTree(xml));
    expect(text(writeXml(readJsonTree(model)))).toBe(text(expected));
    expect(text(writeXml(readJsonTree(mixed)))).toBe(text(expected));
  });

  const rows = [...section.matchAll(/^\| `(\{.*?\})` \| `(.*?)`(?: at `(.*?)`)? \|$/gm)];

  it('shows what is refused', () => expect(rows.length).toBe(5));

  it.each(rows.map(([, json = '', sentence = '', pointer = '']) => [json, sentence, pointer]))(
    '%s is refused with that sentence',
    (json, sentence, pointer) => {
      try {
        readJsonTree(new TextEncoder().encode(json));
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect(error).toHaveProperty('message', expect.stringContaining(sentence ?? ''));
        if (pointer) expect(error).toHaveProperty('facts.details', [expect.objectContaining({ pointer })]);
      }
    },
  );
});

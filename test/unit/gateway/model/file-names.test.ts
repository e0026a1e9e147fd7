// Names in spool and home: nothing that a client sends becomes a path, and every name fits.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NETWORK_STAGES, type Stage } from '#domain/receipt.ts';
import { EXTENSIONS, RECEIPT_FORMS } from '#domain/receipt-forms.ts';
import { parseSpoolName, receivingPath, spoolName } from '#gateway/disk/spool-files.ts';
import { nameOfNumber, nameOfReceipt, nameText, numberNamed, originalName, outboxName } from '#gateway/model/file-names.ts';
import { isTemporaryName } from '#gateway/model/intake.ts';

const ITEM = '01KAJ3V7Q8ABCDEFGHJKMNPQRS';
const byteName = fc.uint8Array({ minLength: 1, maxLength: 255 }).map((bytes) => Buffer.from(bytes).toString('latin1'));

describe('spool names', () => {
  it('survive a round trip, whatever the bytes', () => {
    fc.assert(
      fc.property(byteName, fc.constantFrom('send' as const, 'overwrite' as const, 'unnamed' as const), (name, mode) => {
        const spooled = spoolName({ item: ITEM, mode, name });
        expect(spooled).toMatch(/^[A-Za-z0-9._~%+-]+$/);
        expect(Buffer.byteLength(spooled)).toBeLessThanOrEqual(255);
        const parsed = parseSpoolName(spooled);
        expect(parsed).toMatchObject({ item: ITEM, mode });
        if (!spooled.includes('+')) expect(parsed?.name).toBe(name);
      }),
    );
  });

  it('of a file that is not ours are none', () => {
    for (const name of ['', 'x', `${ITEM}~x~a`, `${ITEM}~-~`, 'short~-~a.xml']) expect(parseSpoolName(name)).toBeUndefined();
  });

  it('two long names that begin alike stay apart', () => {
    const [one, two] = ['1', '2'].map((end) => spoolName({ item: ITEM, mode: 'send', name: `${'å'.repeat(200)}${end}` }));
    expect(one).not.toBe(two);
  });
});

it('a receiving name is one path component of at most 255 bytes', () => {
  fc.assert(
    fc.property(byteName, (name) => {
      const long = 'a'.repeat(64);
      const file = receivingPath('/d', 'X', { upload: ITEM, home: long, folder: 'overwrite', state: 'open', login: long, name }).slice(
        `/d/spool/receiving/X/${long}/`.length,
      );
      expect(file).not.toContain('/');
      expect(Buffer.byteLength(file)).toBeLessThanOrEqual(255);
    }),
  );
});

describe('names in a home', () => {
  it('are one safe component of at most 255 bytes', () => {
    fc.assert(
      fc.property(byteName, (name) => {
        for (const given of [originalName(name, ITEM), nameOfReceipt(name, ITEM, 'duplicate', 'json')]) {
          expect(Buffer.byteLength(given)).toBeLessThanOrEqual(255);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
          expect(given).not.toMatch(/[/\\\u0000-\u001f]/);
          expect(given.isWellFormed()).toBe(true);
          expect(['.', '..']).not.toContain(given);
        }
      }),
    );
  });

  it.each<[what: string, name: string]>([
    ['letters', `${'a'.repeat(251)}.xml`],
    ['Latin-1, which takes two bytes each as UTF-8', '\xe5'.repeat(255)],
    ['characters of four bytes', Buffer.from('\u{1f600}'.repeat(63)).toString('latin1')],
    ['a name of Windows', `nul.${'a'.repeat(251)}`],
  ])('are as long as a file system allows when a client’s is: of %s', (_, name) => {
    const stages: readonly Stage[] = ['accepted', 'refused', 'duplicate', 'delayed', 'held', 'waiting', 'cancelled', ...NETWORK_STAGES];
    for (const stage of stages) {
      for (const form of RECEIPT_FORMS) {
        const given = nameOfReceipt(name, ITEM, stage, form);
        expect(given.endsWith(`.${ITEM.slice(-8).toLowerCase()}.${stage}.${EXTENSIONS[form]}`)).toBe(true);
        expect(Buffer.byteLength(given)).toBeLessThanOrEqual(255);
      }
    }
    expect(Buffer.byteLength(originalName(name, ITEM))).toBeLessThanOrEqual(255);
    expect(Buffer.byteLength(originalName(name, ITEM))).toBeGreaterThan(200);
  });

  it("keep the extension, and the client's own letters", () => {
    expect(originalName('invoice.xml', ITEM)).toBe('invoice.kmnpqrs.xml'.replace('kmnpqrs', ITEM.slice(-8).toLowerCase()));
    expect(nameText(Buffer.from('café.xml').toString('latin1'))).toBe('café.xml');
    expect(nameText('caf\xe9.xml')).toBe('café.xml');
  });

  it.each(['CON', 'nul.xml', 'Aux.tar.gz', 'COM1.xml', 'lpt9', 'PRN .xml'])('%s names no device of Windows', (name) => {
    expect(originalName(name, ITEM)).toMatch(/^_/);
    expect(nameOfReceipt(name, ITEM, 'accepted', 'json')).toBe(`_${name}.${ITEM.slice(-8).toLowerCase()}.accepted.json`);
    expect(nameText(name)).toBe(name);
  });

  it.each([
    ['.hidden', '_hidden'],
    ['.i.xml.part', '_i.xml.part'],
    ['..', '_.'],
    ['.nul', '_nul'],
  ])('%s is seen: ls and patterns leave out what begins with a dot', (name, seen) => {
    expect(nameOfReceipt(name, ITEM, 'waiting', 'json')).toBe(`${seen}.${ITEM.slice(-8).toLowerCase()}.waiting.json`);
    expect(originalName(name, ITEM)).toMatch(/^_/);
    expect(nameText(name)).toBe(name);
  });

  it('do not begin with a dot', () => {
    fc.assert(
      fc.property(byteName, (name) => {
        for (const given of [`.${name}`, name]) expect(originalName(given, ITEM)).not.toMatch(/^\./);
      }),
    );
  });

  it.each(['console.xml', 'null.xml', 'com.xml', 'invoice.con'])('%s stays as it is', (name) => {
    expect(nameOfReceipt(name, ITEM, 'accepted', 'json')).toMatch(new RegExp(`^${name}\\.`));
  });

  it.each([
    [undefined, 'caf\xe9.xml', 'café.xml'],
    [undefined, 'caf\xc3\xa9.xml', 'café.xml'],
    ['latin1', 'caf\xc3\xa9.xml', 'cafÃ©.xml'],
    ['latin1', 'a\x80b', 'a_b'],
    ['windows-1252', 'a\x80b', 'a€b'],
    ['iso-8859-15', 'a\xa4b', 'a€b'],
    ['windows-1251', '\xd1\xf7\xb8\xf2', 'Счёт'],
    ['utf-8', 'caf\xe9.xml', 'caf\ufffd.xml'],
  ] as const)('in charset %s', (charset, name, text) => expect(nameText(name, charset)).toBe(text));

  it('outbox names hold only letters, digits, dot, hyphen and underscore', () => {
    const name = outboxName({
      account: null,
      date: '2026-11-21',
      family: 'Invoice',
      documentId: '../../etc/ä b:1',
      sender: '0088:1',
      integrationId: '6f1f2c1e-0000-4000-8000-00000000abcd',
      version: 2,
    });
    expect(name).toBe('2026-11-21_Invoice_..-..-etc-b-1_0088-1_0000abcd~2.xml');
  });

  it('outbox names tell the account where several share the outbox', () => {
    const document = { date: '2026-11-21', family: 'Invoice', documentId: '1', sender: '0088:1', integrationId: 'abcdefgh', version: 1 };
    expect(outboxName({ account: '5567321707', ...document })).toBe('5567321707_2026-11-21_Invoice_1_0088-1_abcdefgh.xml');
  });

  it('outbox names are cut to 200 bytes', () => {
    const name = outboxName({
      account: null,
      date: '2026-11-21',
      family: 'Invoice',
      documentId: 'x'.repeat(500),
      sender: '0088:1',
      integrationId: 'abcdefgh',
      version: 1,
    });
    expect(name).toHaveLength(200);
    expect(name.endsWith('_abcdefgh.xml')).toBe(true);
  });
});

describe('temporary names', () => {
  it.each([
    '.x',
    'a.part',
    'a.PARTIAL',
    'a.filepart',
    'a.tmp',
    'a.temp',
    'a.writing',
    'a.uploading',
    'a.downloading',
    'a.crdownload',
    'a.swp',
    'a~',
    'a.lock',
    'a.camelLock',
    'a.xml.1a2b3c4d.partial',
  ])('%s', (name) => expect(isTemporaryName(name)).toBe(true));
  it.each(['a.xml', 'part', 'partial.xml', 'tmp.xml', 'a.tmp.xml'])('%s is a real name', (name) =>
    expect(isTemporaryName(name)).toBe(false),
  );
});

describe('names of document numbers', () => {
  const number = fc.oneof(
    fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
    fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }),
  );

  it('tell the number again, each one its own, and are names that any system takes', () => {
    fc.assert(
      fc.property(number, (each) => {
        const name = nameOfNumber(each, '.txt');
        fc.pre(name !== null);
        expect(numberNamed(name, '.txt')).toBe(each);
        expect(name).not.toMatch(/[/\\:*?"<>|\p{Cc}]|^[.\s]|^(?:con|nul)\./iu);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      }),
    );
  });

  it('are nobody else’s: a name that is spelled otherwise names no number', () => {
    fc.assert(
      fc.property(fc.oneof(number, fc.stringMatching(/^(?:%[0-9A-Fa-f]{2}|[a-z.]){1,8}$/)), (text) => {
        const told = numberNamed(`${text}.txt`, '.txt');
        if (told !== null) expect(nameOfNumber(told, '.txt')).toBe(`${text}.txt`);
      }),
    );
  });

  it('are none where they would be too long', () => expect(nameOfNumber('/'.repeat(100), '.txt')).toBeNull());
});

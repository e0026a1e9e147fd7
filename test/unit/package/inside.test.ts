// What the package says of itself: a page of the manual for each command and setting, and what is inside, by the names that advisories have for it.
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { assembleProgram } from '#cli/program.ts';
import { processTerminal } from '#cli/terminal.ts';
import { SETTINGS, type Table } from '#runtime/config/settings.ts';
import { copyright } from '../../package/copyright.ts';
import { packagesInside, sshFolders } from '../../package/inside.ts';
import { manPages } from '../../package/man-pages.ts';
import { billOfMaterials } from '../../package/sbom.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly cpe?: string;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly { readonly content: string }[];
  readonly components?: readonly Component[];
}

// Node, and ssh2 with what it loads.
const inside = packagesInside([]);
const bill: { readonly components: readonly Component[] } = JSON.parse(billOfMaterials(inside, '1.0.0', 0));
const all = bill.components.flatMap((each) => [each, ...(each.components ?? [])]);

describe('the bill of materials', () => {
  it('has each package, with its licence and the digest of its archive', () => {
    expect(bill.components.map(({ name }) => name)).toEqual(expect.arrayContaining(['asn1', 'bcrypt-pbkdf', 'cpu-features', 'ssh2']));
    expect(bill.components).toHaveLength(sshFolders().length + 1);
    for (const { licenses, hashes } of bill.components) {
      expect(licenses).toHaveLength(1);
      expect(hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/);
    }
  });

  it('names each part, also of Node, as scanners do', () => {
    for (const { name, version, purl, cpe } of all) {
      expect(version, name).not.toBe('');
      expect(purl).toMatch(/^pkg:(?:npm|generic)\/(?:%40[\w.-]+\/)?[\w.-]+@[\w.%-]+$/);
      if (cpe !== undefined) expect(cpe).toMatch(/^cpe:2\.3:a:[\w.-]+:[\w.-]+:[\d.]+(?::\*){7}$/);
    }
    const named = (name: string): Component | undefined => all.find((each) => each.name === name);
    const { openssl, undici, node } = process.versions;
    expect(named('openssl')).toMatchObject({
      purl: `pkg:generic/openssl@${openssl}`,
      cpe: `cpe:2.3:a:openssl:openssl:${openssl}:*:*:*:*:*:*:*`,
    });
    expect(named('undici')?.purl).toBe(`pkg:npm/undici@${undici}`);
    expect(all.find(({ components }) => components)?.cpe).toBe(`cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`);
  });
});

it('the copyright file has the licence of each package', () => {
  const text = copyright(inside);
  for (const { name, version, licence, texts } of inside) {
    expect(text).toContain(`${name}@${version}: ${licence}`);
    for (const each of texts) expect(text).toContain(each);
  }
});

describe('the manual', async () => {
  const pages = new Map((await manPages('2026-01-01')).map(({ name, text }) => [name, text.replaceAll('\\-', '-')]));
  const program = await assembleProgram(processTerminal, () => undefined);

  it.each(program.commands.map((each) => [each.name(), each] as const))(
    'has a page for %s, with all below it and their options',
    (name, command) => {
      const page = pages.get(`dropgate-${name}.1`) ?? '';
      for (const { words, options } of leavesOf(command, 'dropgate')) {
        expect(page).toContain(`.SS "${words}`);
        for (const option of options) expect(page).toContain(`.B ${option}`);
      }
      expect(pages.get('dropgate.1')).toContain(`.B dropgate-${name}(1)`);
    },
  );

  it('has each setting', () => {
    const page = pages.get('dropgate.yaml.5') ?? '';
    const keys = keysOf(SETTINGS, '');
    expect(keys.length).toBeGreaterThan(50);
    for (const key of keys) expect(page).toContain(`.B ${key}\n`);
  });

  it('has no line that a formatter would take for a request that it is not', () => {
    const requests = [...pages.values()].flatMap((text) => text.match(/^[.'][^ \n]*/gm) ?? []);
    expect(new Set(requests)).toEqual(new Set(['.TH', '.SH', '.SS', '.TP', '.B', '.I']));
  });
});

function leavesOf(command: Command, above: string): { readonly words: string; readonly options: readonly string[] }[] {
  const words = `${above} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((each) => leavesOf(each, words));
  return [{ words, options: command.options.flatMap(({ hidden, flags }) => (hidden ? [] : [flags])) }];
}

function keysOf(table: Table, above: string): string[] {
  return Object.entries(table).flatMap(([key, row]) => ('rows' in row ? keysOf(row.rows, `${above}${key}.`) : [`${above}${key}`]));
}

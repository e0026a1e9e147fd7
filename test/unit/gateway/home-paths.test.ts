// Homes are walked by descriptor (runtime/files/safe-folder.ts): nowhere in the sources is the path of one joined to a name, but for people to read.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '../../../src');

/** What walks from a home's path, which comes first: a function, or what is handed on to one. */
const WALKS = /(?:\b(?:inFolder|inFolderIfThere|holdFolder|ifThere|makeFolders|deviceOf|folders\.sync)\(|\{ root: )$/;
/** What makes the path of a home: `homeFolder(…)`, the SFTP server's form of it, and the form in messages. */
const MAKERS = /\b(?:homeFolder|shownPath|(?:\w+\.)?home)\(/g;

/** Lines that make one and do not walk. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'gateway/disk/paths.ts': [
    'export function homeFolder(data: string',
    'export function shownPath(data: string',
    'return join(homeFolder(data, home), ...below);',
    'ensureFolders([root, spoolFolder',
  ],
  'gateway/publish/publish.ts': ['return { publication, home: homeFolder(data, home), folder };'],
  'gateway/publish/staging.ts': ['return relative(data, join(root, STAGING, name));'],
  'gateway/front.ts': ['homeFolder: (home) => homeFolder(data, home),'],
  'gateway/watch/folder.ts': ['      root,'],
  'gateway/spool/home-usage.ts': ['withReasons(root, [ANSWER_FOLDER, answer])'],
  // They walk from it; and an empty home goes itself.
  'gateway/disk/whole-home.ts': [
    'copyFolder(homeFolder(data, home), [], to, ',
    'await emptyFolder(root, [], check);',
    'await removeDurable([root], check);',
  ],
  'gateway/operate/where.ts': ['return original ? shownPath(data, found.home'],
  // The space on its file system.
  'gateway/sftp/session/files.ts': ['return statfs(session.home(first.home));'],
  'cli/demo-guide.ts': ['=> here(shownPath(data', '{home(SELLER.', '{home(BUYER.'],
  // Their own data folders, in which no other program works.
  'cli/demo-cluster.ts': ["const outbox = (pair: Pair): string => join(homeFolder(data, pair.buyer), 'outbox');"],
  'cli/demo.ts': [
    "const receipt = await firstFile(join(homeFolder(data, SELLER.accountRegNo), 'receipts'));",
    "const arrived = await firstFile(join(homeFolder(data, BUYER.accountRegNo), 'outbox'));",
  ],
};

const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** As what sources keep it. */
const KEPT = /(?<![.\w'])root\b(?!:)/g;

/** The lines of a source in which a home's path is used for something else than a walk. */
function strays(file: string, text: string): string[] {
  const isKept = text.includes('const root = homeFolder(');
  return text.split('\n').filter((line) => {
    if (/^\s*(?:import|\/\/|\/?\*)|const root = homeFolder\(/.test(line) || ALLOWED[file]?.some((allowed) => line.includes(allowed)))
      return false;
    const uses = [...line.matchAll(MAKERS), ...(isKept ? line.matchAll(KEPT) : [])];
    return uses.some(({ index }) => !WALKS.test(line.slice(0, index)));
  });
}

it('no source joins the path of a home to a name', () => {
  const found = sources.flatMap((file) => strays(file, readFileSync(join(SOURCES, file), 'utf8')).map((line) => `${file}: ${line.trim()}`));
  expect(found).toEqual([]);
});

it('nor spells it', () => {
  const spelled = sources.filter((file) => /\/homes\/|data, 'homes'/.test(readFileSync(join(SOURCES, file), 'utf8')));
  expect(spelled.sort()).toEqual(['gateway/disk/paths.ts', 'gateway/publish/make-homes.ts', 'gateway/publish/staging.ts']);
});

it('what it is to find, it finds', () => {
  expect(strays('x.ts', "readdirSync(join(homeFolder(data, home), 'outbox'))")).toHaveLength(1);
  expect(strays('x.ts', 'const root = homeFolder(data, home);\nrenameSync(from, join(root, name));')).toHaveLength(1);
  expect(strays('x.ts', "readdirSync(join(homeFolder(options.data, home), 'outbox'))")).toHaveLength(1);
  expect(strays('x.ts', 'rmSync(join(parts.home(place.home), name));')).toHaveLength(1);
  expect(strays('x.ts', "readFileSync(shownPath(data, home, 'receipts', name))")).toHaveLength(1);
  expect(strays('x.ts', "inFolder(homeFolder(data, home), ['outbox'], use)")).toEqual([]);
});

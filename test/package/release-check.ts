// `npm run release:check`: which packages and which Node are behind, and what has advisories. It ends with 1 where an advisory is, where Node is behind, whose
// advisories npm does not know, or where something could not be asked for.
import { spawnSync } from 'node:child_process';
import { isRecord } from '#domain/json.ts';
import { ROOT } from './bundle.ts';
import { json, NODE } from './inside.ts';

/** What npm prints as JSON; it ends with 1, too, when it has found something. */
function npm(...args: string[]): Readonly<Record<string, unknown>> {
  const { stdout } = spawnSync('npm', [...args, '--json'], { cwd: ROOT, encoding: 'utf8' });
  const value: unknown = stdout.trim() === '' ? {} : JSON.parse(stdout);
  return isRecord(value) ? value : { values: value };
}

function isNewer(one: string, other: string): boolean {
  const [ours, theirs] = [one, other].map((version) => version.split(/[.-]/).map(Number));
  const at = ours?.findIndex((part, index) => part !== theirs?.[index]) ?? -1;
  return at >= 0 && (ours?.[at] ?? 0) > (theirs?.[at] ?? 0);
}

/** Null: nobody could say, as below. */
function behind(): string[] | null {
  const outdated = npm('outdated');
  if ('error' in outdated) return null;
  return Object.entries(outdated).flatMap(([name, found]) => {
    if (!isRecord(found) || name.startsWith('node-linux-')) return [];
    const [current, latest] = [String(found.current), String(found.latest)];
    return isNewer(latest, current) ? [`${name}  ${current} -> ${latest}`] : [];
  });
}

/** The newest Node of the major version that is pinned; security releases come there. */
function nodeBehind(): string[] | null {
  const { name, version } = json(`${NODE}/package.json`);
  const pinned = String(version);
  const { values } = npm('view', `${name}@${pinned.split('.', 1)[0]}`, 'version');
  if (values === undefined) return null;
  const versions = (Array.isArray(values) ? values : [values]).map(String);
  const newest = versions.reduce((best, each) => (isNewer(each, best) ? each : best), pinned);
  return newest === pinned ? [] : [`${name}  ${pinned} -> ${newest}`];
}

function advisories(): string[] | null {
  const { vulnerabilities } = npm('audit');
  if (!isRecord(vulnerabilities)) return null;
  return Object.entries(vulnerabilities).map(([name, found]) => `${name}  ${isRecord(found) ? found.severity : ''}`);
}

function print(title: string, lines: readonly string[] | null): void {
  const text = lines === null ? '  not known: the registry did not answer' : lines.map((line) => `  ${line}`).join('\n') || '  none';
  process.stdout.write(`${title}:\n${text}\n`);
}

const [node, packages, known] = [nodeBehind(), behind(), advisories()];
print('Node that is behind', node);
print('Packages that are behind', packages);
print('Packages with advisories', known);
process.exitCode = node?.length === 0 && packages !== null && known?.length === 0 ? 0 : 1;

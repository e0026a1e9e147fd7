// The configuration: YAML read once, by the table of settings, into a frozen typed value. Every problem is told at once, with its line.
import { stringify } from 'yaml';
import { AppError } from '#domain/error.ts';
import { isRecord } from '#domain/json.ts';
import { nearest } from '#domain/nearest.ts';
import { isLoopback } from '#runtime/networks.ts';
import type { Address, Sources } from './kinds.ts';
import { endless } from './listeners.ts';
import { SETTINGS, type Table, type ValuesOf } from './settings.ts';
import { parseYaml, type YamlProblem } from './yaml.ts';

/** Durations are milliseconds, sizes are bytes, paths are absolute, secrets are read. */
export type Config = ValuesOf<typeof SETTINGS>;

export interface ConfigText {
  /** For sentences: the name of the file. */
  readonly name: string;
  readonly text: string;
  readonly sources: Sources;
  /** From the command line; wins over the file. */
  readonly role?: string | undefined;
}

export interface ReadConfig {
  readonly config: Config;
  /** The same as YAML, with every default filled in. A secret appears as the place where it is kept. */
  readonly effective: string;
}

export interface FaultyConfig {
  /** The default stands in place of what is wrong; null where the text is no configuration at all. */
  readonly config: Config | null;
  readonly effective: string;
  /** Every problem; null where there is none. */
  readonly refusal: AppError | null;
  /** Paths of settings that are wrong, or were perhaps meant: nothing is known of them. */
  readonly doubtful: readonly string[];
}

interface Problem {
  readonly path: readonly string[];
  /** Follows the path: `must be …`. */
  readonly sentence: string;
  /** Paths of settings that were perhaps meant. */
  readonly meant?: readonly string[];
}

/** Throws one `usage` that tells every problem of the file. */
export function readConfig(given: ConfigText): ReadConfig {
  const { config, effective, refusal: refused } = readFaulty(given);
  if (refused) throw refused;
  if (config === null) throw new AppError('internal', 'A configuration without problems has not every value.');
  return { config, effective };
}

/** Also one with problems: for those who tell what else is wrong. */
export function readFaulty({ name, text, sources, role }: ConfigText): FaultyConfig {
  const nothing = (problems: readonly YamlProblem[]): FaultyConfig => ({
    config: null,
    effective: '',
    refusal: refusal(name, problems),
    doubtful: [],
  });
  const { value, problems: broken, lineOf } = parseYaml(text);
  if (broken.length > 0) return nothing(broken);
  const given = value ?? {};
  if (!isRecord(given)) return nothing([{ line: null, sentence: "the file must hold 'key: value' lines" }]);
  const problems: Problem[] = [];
  const { values, effective } = readTable(SETTINGS, role === undefined ? given : { ...given, role }, [], sources, problems);
  const config = isWhole(SETTINGS, values) ? values : null;
  if (config) problems.push(...contradictions(config, problems));
  const told = problems.map(({ path, sentence }) => ({ line: lineOf(path), sentence: `${path.join('.')} ${sentence}` }));
  const doubtful = problems.flatMap(({ path, meant = [] }) => [path.join('.'), ...meant]);
  return { config, effective: stringify(effective), refusal: problems.length > 0 ? refusal(name, told) : null, doubtful };
}

interface TableReading {
  readonly values: Readonly<Record<string, unknown>>;
  readonly effective: Readonly<Record<string, unknown>>;
}

function readTable(table: Table, given: unknown, path: readonly string[], sources: Sources, problems: Problem[]): TableReading {
  const values: Record<string, unknown> = {};
  const effective: Record<string, unknown> = {};
  if (given !== null && given !== undefined && !isRecord(given)) problems.push({ path, sentence: 'must hold indented lines of its own' });
  const rows = isRecord(given) ? given : {};
  for (const key of Object.keys(rows)) {
    if (!Object.hasOwn(table, key)) problems.push({ path: [...path, key], ...unknownKey(key, path, table) });
  }
  for (const [key, row] of Object.entries(table)) {
    const at = [...path, key];
    if ('rows' in row) {
      const inner = readTable(row.rows, rows[key], at, sources, problems);
      values[key] = inner.values;
      effective[key] = inner.effective;
      continue;
    }
    const raw = Object.hasOwn(rows, key) ? rows[key] : row.default;
    const reading = row.kind.read(raw, sources);
    if ('problem' in reading) problems.push({ path: at, sentence: reading.problem });
    // In place of a wrong one the default lets the others be held against each other.
    const used = 'problem' in reading ? row.kind.read(row.default, sources) : reading;
    if ('value' in used) values[key] = used.value;
    effective[key] = raw;
  }
  return { values: Object.freeze(values), effective };
}

function unknownKey(key: string, path: readonly string[], table: Table): Omit<Problem, 'path'> {
  const near = nearest(key, Object.keys(table));
  if (near) return { sentence: `is not known; did you mean '${near}'?`, meant: [[...path, near].join('.')] };
  const meant = sectionsWith(key);
  if (meant.length > 0) return { sentence: `is not known here; did you mean '${meant.join("' or '")}'?`, meant };
  return { sentence: `is not known; ${path.length > 0 ? `${path.join('.')} has` : 'there are'} ${Object.keys(table).join(', ')}` };
}

/** Paths of settings with this name in any section. */
function sectionsWith(key: string): string[] {
  return Object.entries(SETTINGS).flatMap(([name, row]) => ('rows' in row && Object.hasOwn(row.rows, key) ? [`${name}.${key}`] : []));
}

/** Whether every setting of the table has got its value, each read by its own kind. */
function isWhole<Rows extends Table>(table: Rows, values: unknown): values is ValuesOf<Rows> {
  return (
    isRecord(values) &&
    Object.entries(table).every(([key, row]) => Object.hasOwn(values, key) && (!('rows' in row) || isWhole(row.rows, values[key])))
  );
}

/** Settings that may be right by themselves and wrong together: what tells so, and which they are. */
const TOGETHER: readonly { readonly of: readonly string[]; readonly problems: (config: Config) => Problem[] }[] = [
  { of: ['sftp.profile', 'sftp.legacyUntil'], problems: ({ sftp }) => problemAt('sftp.profile', fitting(endless(sftp))) },
  { of: ['database.ca'], problems: ({ database: { ca } }) => problemAt('database.ca', withoutCertificate(ca)) },
  { of: ['queue.url'], problems: ({ queue: { url } }) => problemAt('queue.url', unprotected(url)) },
  { of: ['queue.ca'], problems: ({ queue: { ca } }) => problemAt('queue.ca', withoutCertificate(ca)) },
  { of: ['node', 'database.url'], problems: ({ node, database }) => problemAt('node', withoutDatabase(node, database.url)) },
  { of: ['node', 'role'], problems: ({ node, role }) => problemAt('node', withBothRoles(node, role)) },
  { of: ['role', 'service.url'], problems: ({ role, service }) => problemAt('service.url', unfitService(role, service.url)) },
  { of: ['alarms.mail'], problems: ({ alarms }) => missingOfMail(alarms.mail) },
  {
    of: ['role', 'environment', 'core.network'],
    problems: ({ role, core, environment }) => (role === 'gateway' ? [] : missingOfNetwork(core.network, environment)),
  },
  {
    of: ['role', 'core.listen', 'core.tls', 'core.behindProxy'],
    problems: ({ role, core }) => (role === 'gateway' ? [] : problemAt('core.listen', tooOpen('core', core))),
  },
  {
    of: ['role', 'hints.listen', 'hints.tls', 'hints.behindProxy'],
    problems: ({ role, hints }) => (role === 'gateway' ? problemAt('hints.listen', tooOpen('hints', hints)) : []),
  },
  { of: ['admin.listen', 'admin.tls'], problems: ({ admin }) => problemAt('admin.listen', tooOpen('admin', admin)) },
];

/** Nothing is said of settings one of which is wrong by itself. */
function contradictions(config: Config, known: readonly Problem[]): Problem[] {
  const wrong = known.map(({ path }) => path.join('.'));
  return TOGETHER.flatMap(({ of, problems }) => (of.every((name) => !isAmong(name, wrong)) ? problems(config) : []));
}

/** Whether a setting or a section is one of these, has one of them, or lies in one. */
export function isAmong(name: string, paths: readonly string[]): boolean {
  return paths.some((each) => isWithin(each, name) || isWithin(name, each));
}

function isWithin(path: string, section: string): boolean {
  return path === section || path.startsWith(`${section}.`);
}

function problemAt(path: string, sentence: string | undefined): Problem[] {
  return sentence === undefined ? [] : [{ path: path.split('.'), sentence }];
}

function fitting(wrong: string | undefined): string | undefined {
  return wrong && `does not fit: ${wrong}`;
}

function unfitService(role: Config['role'], url: string | null): string | undefined {
  if (role === 'gateway' && url === null) return 'is missing: role gateway submits to a remote service, so name its address';
  return role === 'all' && url !== null
    ? 'names a remote service, but role all runs its own core: set role: gateway, or remove it'
    : undefined;
}

function withoutDatabase(node: string | null, url: Config['database']['url']): string | undefined {
  return node !== null && url === null
    ? 'is for processes that share a database: name a PostgreSQL in database.url, or remove it to work alone'
    : undefined;
}

function withBothRoles(node: string | null, role: Config['role']): string | undefined {
  return node !== null && role === 'all'
    ? 'is for role gateway and for role core: run the two as processes of their own, or remove it to work alone'
    : undefined;
}

function unprotected(url: Config['queue']['url']): string | undefined {
  const isOpen = url !== null && !url.isEncrypted && !isLoopback(url.host);
  return isOpen ? 'would send the password and all rings to another machine as they are: begin it with rediss://, for TLS' : undefined;
}

function tooOpen(
  section: string,
  {
    listen,
    tls,
    behindProxy,
  }: Pick<Config['core'], 'tls'> & { readonly listen: Address | null; readonly behindProxy?: readonly string[] | false },
) {
  const isOpen = listen !== null && 'host' in listen && !isLoopback(listen.host) && tls === null && !behindProxy;
  const orProxy = behindProxy === undefined ? '' : `, or name in ${section}.behindProxy the proxies in front that do TLS`;
  return isOpen ? `would serve plain HTTP to other machines: set ${section}.tls${orProxy}` : undefined;
}

function missingOfMail({ to, from, server, user, password, ca }: Config['alarms']['mail']): Problem[] {
  const at = (key: string, sentence: string | undefined): Problem[] => problemAt(`alarms.mail.${key}`, sentence);
  if (to === false) return [];
  return [
    ...at('from', from === null ? 'is missing: mail needs a sender' : undefined),
    ...at('server', server === null ? 'is missing: name the mail server' : undefined),
    ...at('password', (user === null) === (password === null) ? undefined : 'and alarms.mail.user belong together: set both, or none'),
    ...at('ca', withoutCertificate(ca)),
  ];
}

const CERTIFICATE = '-----BEGIN CERTIFICATE-----';
const NO_CERTIFICATE = 'holds no certificate: name a PEM file of authorities, or nobody would be believed';

function withoutCertificate(pem: string | null): string | undefined {
  return pem?.includes(CERTIFICATE) === false ? NO_CERTIFICATE : undefined;
}

/** What peppol cannot do without. */
function missingOfNetwork(
  { kind, country, accessPoint, folder, url, smpAuthorities, accessPointAuthorities }: Config['core']['network'],
  environment: string,
): Problem[] {
  if (kind === 'local') return [];
  const missing: [key: string, sentence: string, isMissing: boolean][] = [
    ['country', 'is missing: every envelope names the country of its sender', country === null],
    [
      'folder',
      'is missing: name the folder that the access point sees, or set accessPoint: http',
      accessPoint === 'folder' && folder === null,
    ],
    ['url', 'is missing: name the address of the access point, or set accessPoint: folder', accessPoint === 'http' && url === null],
    [
      'smpAuthorities',
      'is missing: in production an SMP must be certified; name the PEM file of the authorities',
      environment === 'production' && smpAuthorities === null,
    ],
    ['smpAuthorities', NO_CERTIFICATE, withoutCertificate(smpAuthorities) !== undefined],
    ['accessPointAuthorities', NO_CERTIFICATE, withoutCertificate(accessPointAuthorities) !== undefined],
  ];
  return missing.flatMap(([key, sentence, isMissing]) => (isMissing ? [{ path: ['core', 'network', key], sentence }] : []));
}

function refusal(name: string, problems: readonly YamlProblem[]): AppError {
  const inOrder = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const text = inOrder.map(({ line, sentence }) => `\n  ${line === null ? '' : `line ${line}: `}${sentence}`);
  return new AppError('usage', `${name} cannot be used:${text.join('')}`);
}

// The operation that makes a connection kit: files for the people at the other end of a login, with the server's public keys and no secret.
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { AppError } from '#domain/error.ts';
import { type Layout, namesOf, namingOf } from '#gateway/model/layout.ts';
import { listPartners } from '#gateway/operate/partners.ts';
import { knownHostsLine, loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { listenersOf, reachedAt } from '#runtime/config/listeners.ts';
import { gatewayOf, type Installation } from './installation.ts';
import type { KitFacts } from './kit/facts.ts';
import { kitFiles } from './kit/files.ts';
import { shownRules } from './login-rule-words.ts';
import { show } from './logins.ts';
import { operation } from './operation.ts';

const PORT_MAX = 65_535;

const Wanted = Type.Object({
  login: Type.String(),
  /** By which clients reach this server; without it the one that it listens on. */
  host: Type.Optional(Type.String()),
  /** By which they reach it: of another listener, or of what is in front; without it that of the first listener. */
  port: Type.Optional(Type.Integer({ minimum: 1, maximum: PORT_MAX })),
});

/** `hands-out`: it holds what those who may look can see anyway; who has it is written down. */
export const connectionKit = operation(
  Wanted,
  Type.Object({
    login: Type.String(),
    files: Type.Array(
      Type.Object({
        path: Type.String(),
        text: Type.String(),
        /** To be run, not read. */
        isProgram: Type.Boolean(),
      }),
    ),
  }),
  async (on, input) => ({ login: input.login, files: kitFiles(await factsOf(on, input)) }),
);

/** By the names that the login sees. */
function layoutFacts(layout: Layout | undefined): Pick<KitFacts, 'names' | 'kinds' | 'resultsIn'> {
  const [names, { kinds, beside }] = [namesOf(layout), namingOf(layout)];
  return {
    names,
    kinds: Object.keys(kinds),
    resultsIn: beside.filter(({ folder }) => folder === 'receipts').map(({ among }) => names[among]),
  };
}

async function factsOf(on: Installation, { login, ...reached }: Static<typeof Wanted>): Promise<KitFacts> {
  const { data, sftp, gateway } = on.config;
  const row = await show.run(on, { login });
  const partners = await listPartners(gatewayOf(on));
  const isShared = ({ home }: { readonly home: string }): boolean =>
    partners.some(({ partnerRegNo, consolidated }) => consolidated && partnerRegNo === home);
  const port = reached.port ?? sftp.listen.port;
  // Where something in front maps the port, the first listener is meant.
  const { listen, profile } = listenersOf(sftp).find((each) => each.listen.port === port) ?? sftp;
  const host = checkedHost(reached.host ?? reachedAt(listen));
  const keys = await loadHostKeys(join(data, 'keys'), [profile]);
  return {
    login,
    host,
    port,
    ...proofs(row),
    folders: row.homes.map(({ folder }) => folder).filter((folder) => folder !== ''),
    ...layoutFacts(row.rules.layout),
    answers: row.rules.answers ?? [],
    isShared: row.homes.some(isShared),
    hostKeys: keys.map((key) => ({ type: key.type, fingerprint: key.fingerprint, knownHosts: knownHostsLine(key, host, port) })),
    fileMaxBytes: sftp.fileMax,
    receipts: gateway.receipts,
    readOnly: row.rules.readOnly === true,
    rules: shownRules(row.rules),
    keepAcceptedMs: gateway.keepAccepted,
    keepReceiptsMs: gateway.keepReceipts,
    partialsKeptMs: sftp.partialsKept,
  };
}

/** What the scripts prove the login with: a key where it has one, for that needs nobody to type. */
function proofs({ publicKeys, rules: { methods } }: Static<typeof show.answer>): Pick<KitFacts, 'byKey' | 'byPassword'> {
  if (methods === 'both') return { byKey: true, byPassword: true };
  const byKey = methods === undefined ? publicKeys.length > 0 : methods === 'key';
  return { byKey, byPassword: !byKey };
}

/** It stands in scripts, bare: what is no name or address could be read as a command. Throws `usage`. */
function checkedHost(host: string): string {
  if (isIP(host) !== 0 || HOST.test(host)) return host;
  throw new AppError('usage', 'The host must be a name of letters, digits, dots and dashes, or an address.');
}

const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})$/;

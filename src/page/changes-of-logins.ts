// Adding a login by the page, changing how it gets in, what it sees, and its rules, and a kit for those who connect by it.
import { ANSWERS } from '#gateway/model/rule-words.ts';
import type { InputOf } from '#operations/table.ts';
import { zipOf } from '#runtime/files/zip.ts';
import type { Act } from './act.ts';
import { countIn, linesIn, said, shownOnce, textOf } from './saying.ts';
import { address } from './words.ts';

const ofLogin = (id: string): string => address('/login-of', { id });
const MIB = 2 ** 20;
const KEY_CHARACTERS = 40;

export const CHANGES_OF_LOGINS: Readonly<Record<string, Act>> = {
  'add-login': {
    label: 'Add a login',
    from: () => '/logins',
    says: async () => 'It gets in by its public key, or by a password that is made up. It sees one account; more can be added.',
    fields: async () => ({
      login: { label: 'Login', isRequired: true },
      publicKeys: { label: 'Public key', kind: 'lines' },
      account: { label: 'Account that it sees' },
    }),
    async run({ ask }, _id, given) {
      const homes = given('account') === '' ? [] : [{ accountRegNo: given('account'), folder: '' }];
      const { login, password } = await ask('login.add', { login: given('login'), ...said(given, 'publicKeys'), rules: {}, homes });
      return shownOnce('The login is added', ofLogin(login), { password });
    },
  },
  'connection-kit': {
    label: 'Connection kit',
    isForAll: true,
    from: ofLogin,
    says: async (_visit, id) =>
      `A ZIP archive for those who connect as ${id}: address, host keys, scripts for OpenSSH, lftp, WinSCP and paramiko, and what the folders promise. It holds no secret. That you have taken it is written down.`,
    fields: async () => ({
      host: { label: 'Name or address by which they reach this server, if another than it listens on' },
      port: { label: 'Port, if another than of the first listener', kind: 'number' },
    }),
    async run({ ask, nowMs }, login, given) {
      const port = countIn(given, 'port');
      const { files } = await ask('connection-kit', { login, ...said(given, 'host'), ...(port !== null && { port }) });
      const kit = `${login}-kit`;
      return {
        fileName: `${kit}.zip`,
        bytes: zipOf(
          files.map(({ path, ...file }) => ({ ...file, path: `${kit}/${path}` })),
          nowMs,
        ),
      };
    },
  },
  'set-password': {
    label: 'Set a new password',
    from: ofLogin,
    says: async (_visit, id) => `A password is made up for login ${id} and shown once. The old one does not open any more.`,
    async run({ ask }, login) {
      const { password } = await ask('login.set-password', { login });
      return shownOnce('The password is set', ofLogin(login), { password });
    },
  },
  'add-key': {
    label: 'Add a key',
    from: ofLogin,
    says: async (_visit, id) => `Login ${id} gets in by this public key, too.`,
    fields: async () => ({ publicKeys: { label: 'Public key, as in authorized_keys', kind: 'lines', isRequired: true } }),
    async run({ ask }, login, given) {
      await ask('login.add-key', { login, publicKeys: given('publicKeys') });
      return { to: ofLogin(login) };
    },
  },
  'remove-key': {
    label: 'Remove a key',
    from: ofLogin,
    says: async (_visit, id) => `Login ${id} gets in by this key no more.`,
    fields: async ({ ask }, login) => {
      const { publicKeys } = await ask('login.show', { login });
      const keys = publicKeys.map((key) => [
        key,
        key.length > KEY_CHARACTERS ? `${key.split(' ', 1)[0]} … ${key.slice(-KEY_CHARACTERS)}` : key,
      ]);
      return { publicKeys: { label: 'Key', kind: Object.fromEntries(keys), isRequired: true } };
    },
    async run({ ask }, login, given) {
      await ask('login.remove-key', { login, publicKeys: given('publicKeys') });
      return { to: ofLogin(login) };
    },
  },
  'let-see': {
    label: 'Let it see an account',
    from: ofLogin,
    says: async (_visit, id) =>
      `Login ${id} sees the account in a folder of its own; without a name the folders of one account stand at the top.`,
    fields: async () => ({ account: { label: 'Account', isRequired: true }, folder: { label: 'Folder' } }),
    async run({ ask }, login, given) {
      await ask('login.add-home', { login, accountRegNo: given('account'), folder: given('folder') });
      return { to: ofLogin(login) };
    },
  },
  'no-more-see': {
    label: 'Take an account out of sight',
    from: ofLogin,
    says: async (_visit, id) => `Login ${id} sees the account no more. Its files stay.`,
    fields: async ({ ask }, login) => {
      const { homes } = await ask('login.show', { login });
      return { account: { label: 'Account', kind: Object.fromEntries(homes.map(({ home }) => [home, home])), isRequired: true } };
    },
    async run({ ask }, login, given) {
      await ask('login.remove-home', { login, accountRegNo: given('account') });
      return { to: ofLogin(login) };
    },
  },
  'change-rules': {
    label: 'Change its rules',
    from: ofLogin,
    says: async (_visit, id) => `Login ${id}, and its sessions, follow within two seconds. A rule whose field is empty is taken back.`,
    fields: async ({ ask }, login) => {
      const { rules } = await ask('login.show', { login });
      const mib = rules.homeBytesMax === undefined ? undefined : Math.ceil(rules.homeBytesMax / MIB);
      return {
        homeMib: { label: 'MiB that may lie in a home', kind: 'number', value: textOf(mib) },
        homeFilesMax: { label: 'Files that may lie in a home', kind: 'number', value: textOf(rules.homeFilesMax) },
        sessionsMax: { label: 'Sessions at once', kind: 'number', value: textOf(rules.sessionsMax) },
        expires: { label: 'Last day, as 2027-03-31', value: rules.expires ?? '' },
        allow: { label: 'Addresses and networks that it may come from', kind: 'lines', value: (rules.allow ?? []).join('\n') },
        readOnly: { label: 'May write', kind: { '': 'yes', yes: 'no, read only' }, value: rules.readOnly === true ? 'yes' : '' },
        reconciliation: { label: 'Account in whose receipts a file of each day lies', value: rules.reconciliation ?? '' },
        ...Object.fromEntries(
          ANSWERS.map((answer) => [
            answer,
            { label: `Folder ${answer} answers`, kind: { '': 'no', yes: 'yes' }, value: rules.answers?.includes(answer) ? 'yes' : '' },
          ]),
        ),
      };
    },
    async run({ ask }, login, given) {
      const mib = countIn(given, 'homeMib');
      const allow = linesIn(given('allow'));
      const rules: InputOf<'login.set'>['rules'] = {
        homeBytesMax: mib === null ? null : mib * MIB,
        homeFilesMax: countIn(given, 'homeFilesMax'),
        sessionsMax: countIn(given, 'sessionsMax'),
        expires: given('expires') || null,
        allow: allow.length > 0 ? allow : null,
        readOnly: given('readOnly') === 'yes' ? true : null,
        reconciliation: given('reconciliation') || null,
        answers: ANSWERS.filter((answer) => given(answer) === 'yes'),
      };
      await ask('login.set', { login, rules });
      return { to: ofLogin(login) };
    },
  },
};

// The kinds of settings that say where alarms go: addresses of mail, a mail server, a webhook.
import { isRecord } from '#domain/json.ts';
import { content, type Kind, type PlainKind, type Reading } from './kinds.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly secure: boolean;
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

/** `smtp://HOST:PORT` or `smtps://HOST:PORT`. */
export const mailServer: PlainKind<MailServer> = {
  read(raw) {
    const problem =
      'must be smtp://HOST:PORT, or smtps://HOST:PORT for TLS from the first byte; user and password have settings of their own';
    const url = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : null;
    const protocol = url?.protocol === 'smtp:' || url?.protocol === 'smtps:' ? url.protocol : null;
    if (url === null || protocol === null || url.hostname === '' || url.username || url.password) return { problem };
    if (url.search || url.hash || !['', '/'].includes(url.pathname)) return { problem };
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return { value: { host, port: Number(url.port) || PORTS[protocol], secure: protocol === 'smtps:' } };
  },
};

const ADDRESS = /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,255}$/;
const ADDRESSES_MAX = 20;

export const mailAddress: PlainKind<string> = {
  read: (raw) =>
    typeof raw === 'string' && ADDRESS.test(raw) ? { value: raw } : { problem: 'must be an address of mail such as dropgate@example.com' },
};

/** A list of addresses; false is none. */
export const mailAddresses: PlainKind<readonly string[] | false> = {
  read(raw) {
    if (raw === false) return { value: false };
    const texts = Array.isArray(raw) ? raw.map(String) : [];
    return texts.length > 0 && texts.length <= ADDRESSES_MAX && texts.every((text) => ADDRESS.test(text))
      ? { value: Object.freeze(texts) }
      : { problem: 'must be false, or a list of addresses of mail such as [ops@example.com]' };
  },
};

/** An address in the file, or kept elsewhere because it is a secret, as those of chats are: `{file: PATH}` or `{env: NAME}`. */
export const webhookUrl: Kind<string> = {
  read(raw, sources) {
    const given: Reading<string> = isRecord(raw) ? content.read(raw, sources) : { value: String(raw) };
    if ('problem' in given) return given;
    const text = given.value.trim();
    const url = URL.canParse(text) ? new URL(text) : null;
    return url && /^https?:$/.test(url.protocol) && !url.username && !url.hash
      ? { value: url.href }
      : { problem: 'must be an address that begins with https:// or http://, or {file: PATH} or {env: NAME} where it is kept' };
  },
};

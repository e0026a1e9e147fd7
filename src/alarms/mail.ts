// Digests by mail: one message for all who are told, handed to a mail server by SMTP.
import { isLoopback } from '#runtime/networks.ts';
import type { Digest } from './digest.ts';
import type { MailSettings } from './settings.ts';

const TIMEOUT_MS = 30_000;

/** Resolves when the server has taken the message for everybody. Throws what the server, or the network, says. */
export async function sendMail(settings: MailSettings, { id, subject, text }: Digest): Promise<void> {
  const { to, from } = settings;
  const transport = await open(settings, TIMEOUT_MS);
  try {
    const [, domain] = from.split('@');
    // A digest that is sent again, because nobody knows whether it arrived, has the same id.
    const message = { from, to: [...to], subject, text, messageId: `<${id}@${domain}>`, headers: { 'Auto-Submitted': 'auto-generated' } };
    const { rejected = [] } = await transport.sendMail(message);
    if (rejected.length > 0) throw new Error(`the server refuses ${rejected.map(String).join(', ')}`);
  } finally {
    transport.close();
  }
}

/** Resolves when the server has greeted us, by TLS where it must, and let the user in. Sends nothing. Throws as sendMail does. */
export async function greetMailServer(settings: MailSettings, timeoutMs: number): Promise<void> {
  const transport = await open(settings, timeoutMs);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

async function open({ server, user, password, ca }: MailSettings, timeoutMs: number) {
  // Few installations send mail, and none before its first alarm.
  const { createTransport } = await import('nodemailer');
  // A server on this machine is often without TLS, or certified by itself.
  const isHere = isLoopback(server.host);
  return createTransport({
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: !server.secure && !isHere,
    tls: { ...(ca !== null && { ca }), rejectUnauthorized: !isHere || ca !== null },
    ...(user !== null && { auth: { user: user.trim(), pass: password?.trim() ?? '' } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

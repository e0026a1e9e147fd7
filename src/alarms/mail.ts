// Digests by mail: one message for all who are told, handed to a mail server by SMTP.
import { isLoopback } from '#runtime/networks.ts';
import type { Digest } from './digest.ts';
import type { MailSettings } from './settings.ts';

const TIMEOUT_MS = 30_000;

/** Resolves when the server has taken the message for everybody. Throws what the server, or the network, says. */
export async function sendMail({ to, from, server, user, password, ca }: MailSettings, { id, subject, text }: Digest): Promise<void> {
  // Few installations send mail, and none before its first alarm.
  const { createTransport } = await import('nodemailer');
  // A server on this machine is often without TLS, or certified by itself.
  const isHere = isLoopback(server.host);
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: !server.secure && !isHere,
    tls: { ...(ca !== null && { ca }), rejectUnauthorized: !isHere || ca !== null },
    ...(user !== null && { auth: { user: user.trim(), pass: password?.trim() ?? '' } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
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

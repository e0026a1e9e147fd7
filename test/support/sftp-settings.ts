// The SFTP server's settings in tests: the defaults, this machine exempt from penalties.
import type { ListenerSettings } from '#gateway/sftp/listener.ts';
import type { SftpSettings } from '#gateway/sftp/server.ts';
import type { LineLimits } from '#runtime/log-throttle.ts';

export const SFTP_SETTINGS: SftpSettings = {
  fileMax: 20 * 2 ** 20,
  loginDeadline: 30_000,
  loginTries: 3,
  unauthenticatedMax: 100,
  unauthenticatedPerAddressMax: 10,
  arrivalsPerSecond: 5,
  arrivalsBurst: 20,
  allow: false,
  deny: false,
  exempt: ['127.0.0.0/8'],
  sessionsPerLoginMax: 20,
  channelsMax: 4,
  handlesMax: 64,
  idle: 900_000,
};

/** Any free port. */
export const LISTENER: ListenerSettings = { listen: { host: '127.0.0.1', port: 0 }, profile: 'compat', legacyUntil: null, proxies: false };

/** For tests that count lines of the log. */
export const ALL_LINES: LineLimits = { perSession: Number.POSITIVE_INFINITY, perSource: Number.POSITIVE_INFINITY };

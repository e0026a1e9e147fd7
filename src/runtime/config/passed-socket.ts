// What systemd says of the sockets that it passes, by its variables (sd_listen_fds(3)).
import { AppError } from '#domain/error.ts';

/** What FileDescriptorName= of the socket unit says. */
const NAME = 'core';
/** SD_LISTEN_FDS_START. */
const FIRST_DESCRIPTOR = 3;

/** The descriptor of the socket for the core's listener; null when none is passed. Throws `usage` for sockets that nobody here would answer. */
export function passedSocket(environment: Readonly<Record<string, string | undefined>>, pid: number): number | null {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = NAME } = environment;
  // Otherwise they are another's, who left the variables to its children.
  if (LISTEN_PID !== String(pid) || !LISTEN_FDS || LISTEN_FDS === '0') return null;
  if (LISTEN_FDS !== '1' || LISTEN_FDNAMES !== NAME) {
    const sentence = `systemd passes ${LISTEN_FDS} socket(s) called '${LISTEN_FDNAMES}', and one called '${NAME}' is taken: dropgate.socket has one ListenStream= and FileDescriptorName=${NAME}.`;
    throw new AppError('usage', sentence);
  }
  return FIRST_DESCRIPTOR;
}

// What systemd says of the sockets that it passes, by its variables (sd_listen_fds(3)).
import { expect, it } from 'vitest';
import { passedSocket } from '#runtime/config/passed-socket.ts';

const PID = 7;

it.each<[string, Record<string, string>, number | null]>([
  ['one for this process', { LISTEN_PID: '7', LISTEN_FDS: '1', LISTEN_FDNAMES: 'core' }, 3],
  ['one that has no name', { LISTEN_PID: '7', LISTEN_FDS: '1' }, 3],
  ['one for another process, which left the variables to its children', { LISTEN_PID: '8', LISTEN_FDS: '1', LISTEN_FDNAMES: 'core' }, null],
  ['none', { LISTEN_PID: '7', LISTEN_FDS: '0' }, null],
  ['nothing', {}, null],
])('takes %s', (_, environment, descriptor) => {
  expect(passedSocket(environment, PID)).toBe(descriptor);
});

it.each([
  ['two', { LISTEN_FDS: '2', LISTEN_FDNAMES: 'core:core' }],
  ['one that is for something else', { LISTEN_FDS: '1', LISTEN_FDNAMES: 'dropgate.socket' }],
])('refuses %s: those who connect would never be answered', (_, environment) => {
  expect(() => passedSocket({ LISTEN_PID: '7', ...environment }, PID)).toThrow('FileDescriptorName=core');
});

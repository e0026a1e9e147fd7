// All clients of the suite, in the order of the table.
import type { Client } from './client.ts';
import { asyncssh, jsch, paramiko } from './libraries.ts';
import { openSshScp, openSshSftp } from './openssh.ts';
import { curlClient, lftpClient, puttySftp, rcloneClient } from './programs.ts';
import { inProcess } from './replayed.ts';

export const CLIENTS: readonly Client[] = [
  openSshSftp,
  openSshScp,
  puttySftp,
  lftpClient,
  curlClient,
  rcloneClient,
  paramiko,
  asyncssh,
  jsch,
  ...inProcess,
];

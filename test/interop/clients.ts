// All clients of the suite, in the order of the table.
import type { Client } from './client.ts';
import { gio } from './gio.ts';
import { netSftp, netSftpForeign, netSsh2, phpSsh2, phpseclib, pkgSftp, sshSftp } from './languages.ts';
import { asyncssh, jsch, paramiko } from './libraries.ts';
import { openSshScp, openSshSftp } from './openssh.ts';
import { curlClient, curlScp, lftpClient, puttySftp, rcloneClient } from './programs.ts';
import { inProcess } from './replayed.ts';
import { sshfs } from './sshfs.ts';

export const CLIENTS: readonly Client[] = [
  openSshSftp,
  openSshScp,
  puttySftp,
  lftpClient,
  curlClient,
  curlScp,
  rcloneClient,
  paramiko,
  asyncssh,
  jsch,
  phpSsh2,
  phpseclib,
  netSsh2,
  netSftpForeign,
  netSftp,
  sshSftp,
  pkgSftp,
  sshfs,
  gio,
  ...inProcess,
];

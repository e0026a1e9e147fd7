// Every file of a connection kit.
import { contractFile } from './contract.ts';
import { type KitFacts, type KitFile, textFile } from './facts.ts';
import { lftpFiles } from './lftp.ts';
import { openSshFiles } from './openssh.ts';
import { paramikoFiles } from './paramiko.ts';
import { winScpFiles } from './winscp.ts';

/** The known hosts, the contract, and scripts for each client; none that send for a login that may only read. */
export function kitFiles(facts: KitFacts): KitFile[] {
  const knownHosts = facts.hostKeys.map((key) => `${key.knownHosts}\n`).join('');
  const programs = [...openSshFiles(facts), ...lftpFiles(facts), ...winScpFiles(facts), ...paramikoFiles(facts)];
  const kept = facts.readOnly ? programs.filter(({ path }) => !/\/send\./.test(path)) : programs;
  return [textFile('known_hosts', knownHosts), contractFile(facts), ...kept];
}

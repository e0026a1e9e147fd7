// The kit's sample for Python's paramiko (2.9 or later).
import { type KitFacts, type KitFile, program, takenFrom } from './facts.ts';

export function paramikoFiles(facts: KitFacts): KitFile[] {
  return [program('paramiko/dropgate.py', sample(facts))];
}

function sample(facts: KitFacts): string {
  const { login, host, port, byKey, byPassword, folders, names } = facts;
  const key = byKey ? "os.environ.get('DROPGATE_KEY', os.path.join(HERE, '..', 'id'))" : 'None';
  const password = byPassword ? "os.environ['DROPGATE_PASSWORD']" : 'None';
  const home = folders.length === 0 ? "''" : `os.environ['DROPGATE_FOLDER'] + '/'  # ${folders.join(' or ')}`;
  return `#!/usr/bin/env python3
"""Sends documents, and takes documents and receipts, with paramiko.

Usage: dropgate.py send FILE...
       dropgate.py receive FOLDER
"""
import os
import stat
import sys

import paramiko

HERE = os.path.dirname(os.path.abspath(__file__))
HOST, PORT, LOGIN = ${pythonText(host)}, ${port}, ${pythonText(login)}


def connect():
    client = paramiko.SSHClient()
    client.load_host_keys(os.path.join(HERE, '..', 'known_hosts'))
    client.set_missing_host_key_policy(paramiko.RejectPolicy())
    client.connect(
        HOST, PORT, LOGIN,
        key_filename=${key},
        password=${password},
        allow_agent=False, look_for_keys=False, timeout=30,
    )
    return client


def send(sftp, home, files):
    for path in files:
        # When put returns, the file is safe at the server. It raises an exception otherwise: send the file again.
        sftp.put(path, home + '${names.inbox}/' + os.path.basename(path))


def receive(sftp, home, target):
    for folder, name in (${takenFrom(facts)
      .map(({ into, path }) => `('${into}', '${path}')`)
      .join(', ')}):
        os.makedirs(os.path.join(target, folder), exist_ok=True)
        for entry in sftp.listdir_attr(home + name):
            if not stat.S_ISREG(entry.st_mode) or entry.filename.endswith('.downloading'):
                continue
            there = home + name + '/' + entry.filename
            here = os.path.join(target, folder, os.path.basename(entry.filename))
            with open(here + '.part', 'wb') as file:
                sftp.getfo(there, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(here + '.part', here)
            # Deleting says: I have it.
            try:
                sftp.remove(there)
            except FileNotFoundError:
                pass  # The server deletes what was downloaded, for some accounts.


def main(args):
    if len(args) < 2 or args[0] not in ('send', 'receive'):
        print(__doc__, file=sys.stderr)
        return 64
    home = ${home}
    with connect() as client, client.open_sftp() as sftp:
        if args[0] == 'send':
            send(sftp, home, args[1:])
        else:
            receive(sftp, home, args[1])
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
`;
}

/** A text of Python; JSON's escapes are Python's, too. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

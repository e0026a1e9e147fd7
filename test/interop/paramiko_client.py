"""paramiko as ERP programmers use it: paramiko_client.py PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT..."""

import os
import sys

import paramiko

PIECE = 32768


def upload(sftp, local, remote, start=0, between=lambda: None):
    with open(local, 'rb') as source, sftp.open(remote, 'r+' if start else 'w') as target:
        target.set_pipelined(True)
        source.seek(start)
        target.seek(start)
        for number, piece in enumerate(iter(lambda: source.read(PIECE), b'')):
            if number == 8:
                between()
            target.write(piece)


def put(transport, sftp, local, remote):
    sftp.put(local, remote)


def put_beside(transport, sftp, local, temporary, remote):
    sftp.put(local, temporary)
    sftp.posix_rename(temporary, remote)
    sftp.stat(remote)


def put_keeping(transport, sftp, local, remote):
    sftp.put(local, remote)
    sftp.utime(remote, (1772445600, 1772445600))
    sftp.chmod(remote, 0o640)


def resume(transport, sftp, local, remote):
    start = sftp.stat(remote).st_size
    if not 0 < start < os.path.getsize(local):
        raise RuntimeError('nothing to resume: the server has %d bytes' % start)
    upload(sftp, local, remote, start)


def put_rekeying(transport, sftp, local, remote):
    upload(sftp, local, remote, between=transport.renegotiate_keys)


def list_folder(transport, sftp, folder):
    print('\n'.join(sftp.listdir(folder)))


VERBS = {
    'put': put,
    'putBeside': put_beside,
    'putKeeping': put_keeping,
    'resume': resume,
    'putRekeying': put_rekeying,
    'list': list_folder,
    'get': lambda transport, sftp, remote, local: sftp.get(remote, local),
    'remove': lambda transport, sftp, remote: sftp.remove(remote),
    'rename': lambda transport, sftp, old, new: sftp.rename(old, new),
    'makeFolder': lambda transport, sftp, path: sftp.mkdir(path),
}


def main(port, known_hosts, login, password, verb, *arguments):
    client = paramiko.SSHClient()
    client.load_host_keys(known_hosts)
    client.connect('127.0.0.1', int(port), login, password, allow_agent=False, look_for_keys=False)
    try:
        VERBS[verb](client.get_transport(), client.open_sftp(), *arguments)
    finally:
        client.close()


main(*sys.argv[1:])

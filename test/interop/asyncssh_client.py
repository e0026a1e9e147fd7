"""asyncssh: asyncssh_client.py PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT..."""

import asyncio
import os
import sys

import asyncssh


async def put_beside(sftp, local, temporary, remote):
    await sftp.put(local, temporary)
    await sftp.posix_rename(temporary, remote)


async def put_keeping(sftp, local, remote):
    await sftp.put(local, remote, preserve=True)
    await sftp.utime(remote, (1772445600, 1772445600))
    await sftp.chmod(remote, 0o640)


async def resume(sftp, local, remote):
    start = (await sftp.stat(remote)).size
    if not 0 < start < os.path.getsize(local):
        raise RuntimeError('nothing to resume: the server has %d bytes' % start)
    with open(local, 'rb') as source:
        source.seek(start)
        async with sftp.open(remote, 'ab') as target:
            await target.write(source.read())


async def list_folder(sftp, folder):
    print('\n'.join(await sftp.listdir(folder)))


VERBS = {
    'put': lambda sftp, local, remote: sftp.put(local, remote),
    'putBeside': put_beside,
    'putKeeping': put_keeping,
    'resume': resume,
    'putRekeying': lambda sftp, local, remote: sftp.put(local, remote),
    'list': list_folder,
    'get': lambda sftp, remote, local: sftp.get(remote, local),
    'remove': lambda sftp, remote: sftp.remove(remote),
    'rename': lambda sftp, old, new: sftp.rename(old, new),
    'makeFolder': lambda sftp, path: sftp.mkdir(path),
}


async def main(port, known_hosts, login, password, verb, *arguments):
    rekeying = {'rekey_bytes': 2**20} if verb == 'putRekeying' else {}
    options = {'username': login, 'password': password, 'known_hosts': known_hosts, 'client_keys': [], 'agent_path': None, 'config': [], **rekeying}
    async with asyncssh.connect('127.0.0.1', int(port), **options) as connection:
        async with connection.start_sftp_client() as sftp:
            await VERBS[verb](sftp, *arguments)


asyncio.run(main(*sys.argv[1:]))

<?php
// phpseclib as ERP programmers use it: phpseclib_client.php PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT...
require '/usr/share/php/phpseclib3/autoload.php';
use phpseclib3\Net\SFTP;

[, $port, , $login, $password, $verb] = $argv;
$arguments = array_slice($argv, 6);
$sftp = new SFTP('127.0.0.1', (int) $port);
$sftp->login($login, $password) || throw new RuntimeException('login failed');

function well($result) {
  global $sftp;
  if ($result === false) throw new RuntimeException(implode('; ', $sftp->getSFTPErrors()) ?: 'failed');
  return $result;
}

$put = fn ($local, $remote) => well($sftp->put($remote, $local, SFTP::SOURCE_LOCAL_FILE));
$verbs = [
  'put' => $put,
  'putBeside' => function ($local, $temporary, $remote) use ($put, $sftp) {
    $put($local, $temporary);
    well($sftp->rename($temporary, $remote));
  },
  'putKeeping' => function ($local, $remote) use ($put, $sftp) {
    $put($local, $remote);
    well($sftp->touch($remote, 1772445600));
    well($sftp->chmod(0640, $remote));
  },
  // RESUME alone writes the local file from its beginning behind what is there: both places are to be named.
  'resume' => function ($local, $remote) use ($sftp) {
    $start = well($sftp->filesize($remote));
    well($sftp->put($remote, $local, SFTP::SOURCE_LOCAL_FILE, $start, $start));
  },
  'list' => fn ($folder) => print(implode("\n", well($sftp->nlist($folder)))),
  'get' => fn ($remote, $local) => well($sftp->get($remote, $local)),
  'remove' => fn ($remote) => well($sftp->delete($remote, false)),
  'rename' => fn ($from, $to) => well($sftp->rename($from, $to)),
  'makeFolder' => fn ($path) => well($sftp->mkdir($path)),
];
try {
  $verbs[$verb](...$arguments);
} catch (Throwable $error) {
  fwrite(STDERR, $error->getMessage() . "\n");
  exit(1);
}

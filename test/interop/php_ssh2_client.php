<?php
// PHP's ssh2 (libssh2) as ERP programmers use it: php_ssh2_client.php PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT...
set_error_handler(function ($level, $message) { throw new RuntimeException($message); });
[, $port, , $login, $password, $verb] = $argv;
$arguments = array_slice($argv, 6);
$session = ssh2_connect('127.0.0.1', (int) $port);
ssh2_auth_password($session, $login, $password);
if ($verb === 'scp') exit(ssh2_scp_send($session, ...$arguments) ? 0 : 1);
$sftp = ssh2_sftp($session);

function at($remote) { global $sftp; return 'ssh2.sftp://' . intval($sftp) . $remote; }

function upload($local, $remote, $mode, $start = 0) {
  [$from, $to] = [fopen($local, 'r'), fopen(at($remote), $mode)];
  fseek($from, $start);
  if ($start) fseek($to, $start);
  while (!feof($from)) {
    $piece = fread($from, 32768);
    if (strlen($piece) > 0 && fwrite($to, $piece) !== strlen($piece)) throw new RuntimeException('the write failed');
  }
  fclose($to);
}

function resume($local, $remote) {
  global $sftp;
  $start = ssh2_sftp_stat($sftp, $remote)['size'];
  if ($start === 0 || $start >= filesize($local)) throw new RuntimeException('nothing to resume');
  upload($local, $remote, 'r+', $start);
}

$verbs = [
  'put' => fn ($local, $remote) => upload($local, $remote, 'w'),
  'putBeside' => function ($local, $temporary, $remote) use ($sftp) {
    upload($local, $temporary, 'w');
    if (!ssh2_sftp_rename($sftp, $temporary, $remote)) throw new RuntimeException('the rename failed');
  },
  'putKeeping' => function ($local, $remote) use ($sftp) {
    upload($local, $remote, 'w');
    if (!ssh2_sftp_chmod($sftp, $remote, 0640)) throw new RuntimeException('chmod failed');
  },
  'resume' => resume(...),
  'list' => fn ($folder) => print(implode("\n", scandir(at($folder)))),
  'get' => fn ($remote, $local) => copy(at($remote), $local),
  'remove' => fn ($remote) => ssh2_sftp_unlink($sftp, $remote) ?: throw new RuntimeException('unlink failed'),
  'rename' => fn ($from, $to) => ssh2_sftp_rename($sftp, $from, $to) ?: throw new RuntimeException('the rename failed'),
  'makeFolder' => fn ($path) => ssh2_sftp_mkdir($sftp, $path) ?: throw new RuntimeException('mkdir failed'),
];
try {
  $verbs[$verb](...$arguments);
} catch (Throwable $error) {
  fwrite(STDERR, $error->getMessage() . "\n");
  exit(1);
}

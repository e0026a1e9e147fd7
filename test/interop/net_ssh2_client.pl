# Perl's Net::SSH2 (libssh2) as ERP programmers use it: net_ssh2_client.pl PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT...
use strict;
use warnings;
use Fcntl;
use Net::SSH2;

my ($port, undef, $login, $password, $verb, @arguments) = @ARGV;
my $ssh = Net::SSH2->new(timeout => 60_000);
$ssh->connect('127.0.0.1', $port) or die 'no connection';
$ssh->auth_password($login, $password) or die 'no login';
if ($verb eq 'scp') { exit($ssh->scp_put(@arguments) ? 0 : 1) }
my $sftp = $ssh->sftp or die 'no sftp';

sub well { my ($result) = @_; $result or die 'failed: ' . join(' ', $sftp->error) . "\n"; return $result }

sub upload {
  my ($local, $remote, $flags, $start) = @_;
  open my $from, '<:raw', $local or die $!;
  my $to = well($sftp->open($remote, $flags));
  if ($start) { seek $from, $start, 0; $to->seek($start) }
  while (read $from, my $piece, 30_000) {
    while (length $piece) {
      my $written = $to->write($piece);
      die 'the write failed: ' . join(' ', $sftp->error) . "\n" if !defined $written || $written < 0;
      substr($piece, 0, $written) = '';
    }
  }
  undef $to;
}

my $new = O_WRONLY | O_CREAT | O_TRUNC;
my %verbs = (
  put => sub { upload(@_, $new) },
  putBeside => sub { my ($local, $temporary, $remote) = @_; upload($local, $temporary, $new); well($sftp->rename($temporary, $remote)) },
  putKeeping => sub { upload(@_, $new); well($sftp->setstat($_[1], mode => 0640)) },
  resume => sub {
    my ($local, $remote) = @_;
    my %there = $sftp->stat($remote);
    die 'nothing to resume' unless $there{size} && $there{size} < -s $local;
    upload($local, $remote, O_WRONLY, $there{size});
  },
  list => sub { my $folder = well($sftp->opendir($_[0])); while (my %entry = $folder->read) { print "$entry{name}\n" } },
  get => sub {
    my ($remote, $local) = @_;
    my $from = well($sftp->open($remote, O_RDONLY));
    open my $to, '>:raw', $local or die $!;
    while (my $count = $from->read(my $piece, 30_000)) { print $to $piece }
    close $to or die $!;
  },
  remove => sub { well($sftp->unlink($_[0])) },
  rename => sub { well($sftp->rename(@_)) },
  makeFolder => sub { well($sftp->mkdir($_[0])) },
);
$verbs{$verb}->(@arguments);

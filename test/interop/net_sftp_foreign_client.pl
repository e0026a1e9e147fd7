# Perl's Net::SFTP::Foreign as ERP programmers use it: net_sftp_foreign_client.pl PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT...
use strict;
use warnings;
use Encode qw(decode);
use Net::SFTP::Foreign;

my ($port, $known_hosts, $login, $password, $verb, @arguments) = map { decode('UTF-8', $_) } @ARGV;
my @more = ('-o', "UserKnownHostsFile=$known_hosts", '-o', 'StrictHostKeyChecking=yes', '-o', 'PubkeyAuthentication=no');
push @more, '-o', 'RekeyLimit=1M' if $verb eq 'putRekeying';
my $sftp = Net::SFTP::Foreign->new("127.0.0.1", fs_encoding => 'UTF-8', port => $port, user => $login, password => $password, more => \@more);
$sftp->die_on_error('no session');

my %verbs = (
  put => sub { $sftp->put(@_, copy_perm => 0, copy_time => 0) },
  putBeside => sub { my ($local, $temporary, $remote) = @_; $sftp->put($local, $temporary) and $sftp->rename($temporary, $remote) },
  putKeeping => sub { $sftp->put(@_, copy_perm => 1, copy_time => 1) },
  resume => sub { $sftp->put(@_, resume => 1) },
  putRekeying => sub { $sftp->put(@_, copy_perm => 0, copy_time => 0) },
  list => sub { print "$_->{filename}\n" for @{ $sftp->ls($_[0]) || [] }; 1 },
  get => sub { $sftp->get(@_) },
  remove => sub { $sftp->remove(@_) },
  rename => sub { $sftp->rename(@_) },
  makeFolder => sub { $sftp->mkdir($_[0]) },
);
$verbs{$verb}->(@arguments) or die $sftp->error . "\n";

# Ruby's net-sftp as ERP programmers use it: net_sftp_client.rb PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT...
require 'net/sftp'

PIECE = 32_768
port, known_hosts, login, password, verb, *arguments = ARGV
options = { port: Integer(port), password: password, user_known_hosts_file: known_hosts, verify_host_key: :always, auth_methods: ['password'] }

# Goes on where the server stands.
def resume(sftp, local, remote)
  start = sftp.stat!(remote).size
  raise 'nothing to resume' unless start.positive? && start < File.size(local)

  handle = sftp.open!(remote, 'r+')
  (start...File.size(local)).step(PIECE) { |at| sftp.write!(handle, at, IO.binread(local, PIECE, at)) }
  sftp.close!(handle)
end

def put_keeping(sftp, local, remote)
  sftp.upload!(local, remote)
  sftp.setstat!(remote, permissions: 0o640, atime: 1_772_445_600, mtime: 1_772_445_600)
end

VERBS = {
  'put' => ->(sftp, local, remote) { sftp.upload!(local, remote) },
  'putBeside' => lambda { |sftp, local, temporary, remote|
    sftp.upload!(local, temporary)
    sftp.rename!(temporary, remote)
  },
  'putKeeping' => method(:put_keeping),
  'resume' => method(:resume),
  'list' => ->(sftp, folder) { sftp.dir.foreach(folder) { |entry| puts entry.name } },
  'get' => ->(sftp, remote, local) { sftp.download!(remote, local) },
  'remove' => ->(sftp, remote) { sftp.remove!(remote) },
  'rename' => ->(sftp, old, new) { sftp.rename!(old, new) },
  'makeFolder' => ->(sftp, path) { sftp.mkdir!(path) }
}.freeze

Net::SFTP.start('127.0.0.1', login, **options) { |sftp| VERBS.fetch(verb).call(sftp, *arguments) }

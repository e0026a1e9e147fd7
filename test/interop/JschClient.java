// JSch, the client inside SAP PI and CPI, Camel and many others: JschClient PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT...
import com.jcraft.jsch.ChannelSftp;
import com.jcraft.jsch.JSch;
import com.jcraft.jsch.Session;
import com.jcraft.jsch.SftpProgressMonitor;

public class JschClient {
  private static final int MEGABYTE = 1 << 20;

  public static void main(String[] args) throws Exception {
    JSch jsch = new JSch();
    jsch.setKnownHosts(args[1]);
    Session session = jsch.getSession(args[2], "127.0.0.1", Integer.parseInt(args[0]));
    session.setPassword(args[3]);
    session.connect(20_000);
    try {
      ChannelSftp sftp = (ChannelSftp) session.openChannel("sftp");
      sftp.connect(20_000);
      perform(session, sftp, args[4], args[5], args.length > 6 ? args[6] : "", args.length > 7 ? args[7] : "");
      sftp.exit();
    } finally {
      session.disconnect();
    }
  }

  private static void perform(Session session, ChannelSftp sftp, String verb, String a, String b, String c) throws Exception {
    switch (verb) {
      case "put" -> sftp.put(a, b);
      case "putBeside" -> {
        sftp.put(a, b);
        sftp.rename(b, c);
      }
      case "putKeeping" -> {
        sftp.put(a, b);
        sftp.setMtime(b, 1772445600);
        sftp.chmod(0640, b);
      }
      case "resume" -> sftp.put(a, b, ChannelSftp.RESUME);
      case "putRekeying" -> sftp.put(a, b, new RekeyOnce(session));
      case "list" -> {
        for (Object entry : sftp.ls(a)) System.out.println(((ChannelSftp.LsEntry) entry).getFilename());
      }
      case "get" -> sftp.get(a, b);
      case "remove" -> sftp.rm(a);
      case "rename" -> sftp.rename(a, b);
      case "makeFolder" -> sftp.mkdir(a);
      default -> throw new IllegalArgumentException(verb);
    }
  }

  /** Asks for a further key exchange when a megabyte has gone. */
  private static final class RekeyOnce implements SftpProgressMonitor {
    private final Session session;
    private long sent;
    private boolean asked;

    RekeyOnce(Session session) {
      this.session = session;
    }

    @Override
    public void init(int operation, String source, String target, long bytes) {}

    @Override
    public boolean count(long bytes) {
      sent += bytes;
      if (sent > MEGABYTE && !asked) {
        asked = true;
        try {
          session.rekey();
        } catch (Exception failed) {
          throw new IllegalStateException(failed);
        }
      }
      return true;
    }

    @Override
    public void end() {}
  }
}

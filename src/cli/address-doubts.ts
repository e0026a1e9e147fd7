// What looks wrong about a Peppol address that is given to an account. It is taken all the same, but the rules would refuse its documents.
import { parseParticipant } from '#domain/participant.ts';
import type { Terminal } from './terminal.ts';

export async function tellDoubts(terminal: Terminal, participants: readonly string[]): Promise<void> {
  if (participants.length === 0) return;
  const { doubtAbout } = await import('#rules/common/identifiers.ts');
  for (const participant of participants) {
    const doubt = doubtAbout(participant);
    if (doubt !== null && isTaken(participant))
      terminal.complain(
        `The address ${participant} looks wrong: ${doubt}. Documents with it break the rules; correct it by 'dropgate account remove-participant' and 'add-participant'.`,
      );
  }
}

function isTaken(participant: string): boolean {
  try {
    parseParticipant(participant);
    return true;
  } catch {
    return false;
  }
}

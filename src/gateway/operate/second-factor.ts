// The second factor of operators: a secret that is derived from the key file and a salt of the operator's row, so that the ledger holds none. The salt
// ends with a mark of the key file, so that codes of a key file that was lost are told from wrong ones.
import { createHmac, randomBytes } from 'node:crypto';
import { type OperatorRow, readOperator, readOperators, updateOperator } from '#gateway/ledger/operators.ts';
import { otpauthUri, stepOf } from '#gateway/model/totp.ts';
import type { Administration } from './administration.ts';
import { changeOperator, newStamp } from './operators.ts';

const SALT_BYTES = 16;
const MARK_BYTES = 8;
/** As long as a digest of SHA-1 (RFC 4226 §4). */
const SECRET_BYTES = 20;

/** From now on the operator needs a code; returns what an authenticator reads. All sessions of the operator end. Throws `missing`. */
export async function setTotp(on: Administration, operator: string, host: string): Promise<string> {
  const random = randomBytes(SALT_BYTES).toString('hex');
  const salt = `${random}${markOf(on, operator, random)}`;
  await changeOperator(on, operator, { totpSalt: salt, totpStep: 0, stamp: newStamp() });
  return otpauthUri(operator, host, secretOf(on, operator, salt));
}

/** The password is enough from now on. All sessions of the operator end. Throws `missing`. */
export function clearTotp(on: Administration, operator: string): Promise<void> {
  return changeOperator(on, operator, { totpSalt: null, totpStep: 0, stamp: newStamp() });
}

/** Whether the operator needs no code, or this is one that was not used yet; then it is. */
export async function passesTotp(on: Administration, { operator, totpSalt }: OperatorRow, code: string): Promise<boolean> {
  if (totpSalt === null) return true;
  const secret = secretOf(on, operator, totpSalt);
  const mac = (counter: Uint8Array): Uint8Array => createHmac('sha1', secret).update(counter).digest();
  return on.ledger.write(['administration'], async (rows) => {
    const now = await readOperator(rows, operator);
    const step = now?.totpSalt === totpSalt ? stepOf(mac, code, on.clock.now(), now.totpStep) : undefined;
    if (step === undefined) return false;
    await updateOperator(rows, operator, { totpStep: step });
    return true;
  });
}

/** Whether a code is asked of the operator whose secret went with another key file: none opens until a new one is set, or none is asked. */
export function isCodeLost(on: Pick<Administration, 'seal'>, { operator, totpSalt }: Pick<OperatorRow, 'operator' | 'totpSalt'>): boolean {
  if (totpSalt === null) return false;
  const random = totpSalt.slice(0, 2 * SALT_BYTES);
  return totpSalt !== `${random}${markOf(on, operator, random)}`;
}

/** The operators whose codes are lost. */
export async function operatorsWithLostCodes(on: Pick<Administration, 'ledger' | 'seal'>): Promise<string[]> {
  const rows = await readOperators(on.ledger.read);
  return rows.filter((row) => isCodeLost(on, row)).map(({ operator }) => operator);
}

function markOf({ seal }: Pick<Administration, 'seal'>, operator: string, random: string): string {
  const mac = createHmac('sha256', seal.derive('mark of second factors')).update(`${operator}\n${random}`).digest();
  return mac.subarray(0, MARK_BYTES).toString('hex');
}

function secretOf({ seal }: Pick<Administration, 'seal'>, operator: string, salt: string): Buffer {
  return createHmac('sha256', seal.derive('second factor of operators')).update(`${operator}\n${salt}`).digest().subarray(0, SECRET_BYTES);
}

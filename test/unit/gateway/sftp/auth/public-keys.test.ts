// Public keys as people give them: lines of authorized_keys, and what else they may come with by mistake.
import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { isSameKey, publicKeysOf } from '#gateway/sftp/auth/public-keys.ts';
import { ed25519Pair } from '../../../../support/keys.ts';

const [one, other] = [ed25519Pair(), ed25519Pair()];
const keysOf = (text: string): string[] => publicKeysOf(text, 'erp.pub');

it('are taken line by line, without comments and empty lines, whatever the line ends', () => {
  expect(keysOf(`# of the ERP\r\n${one.public} at work\r\n\r\n  ${other.public}  \n`)).toEqual([`${one.public} at work`, other.public]);
});

it('are Ed25519, ECDSA or RSA', () => {
  for (const pair of [ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }), ssh2.utils.generateKeyPairSync('rsa', { bits: 2_048 })]) {
    expect(keysOf(pair.public)).toEqual([pair.public]);
  }
});

it.each([
  ['nothing', '', 'erp.pub holds no public key.'],
  ['comments only', '# none\n', 'erp.pub holds no public key.'],
  ['something else', 'hello world', 'erp.pub is no public key: it must be a line such as'],
  ['a key with options', `no-pty ${one.public}`, 'erp.pub is no public key: it must be a line such as'],
  ['one good line and one bad', `${one.public}\nssh-ed25519 AAAA`, 'erp.pub is no public key: it must be a line such as'],
  ['U+0000 in a comment', `${one.public} at\0work`, 'erp.pub is no public key: it must be a line such as'],
  ['a long comment', `${one.public} ${'é'.repeat(1_000)}`, 'erp.pub holds a public key of more than 2048 bytes'],
  ['too many', `${one.public}\n`.repeat(65), 'erp.pub holds more than 64 public keys.'],
])('%s is refused with a sentence', (_what, text, sentence) => {
  expect(() => keysOf(text)).toThrow(sentence);
});

it('a private key is refused, for it must stay with its owner', () => {
  const pairs = [one, ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }), ssh2.utils.generateKeyPairSync('rsa', { bits: 2_048 })];
  for (const key of [...pairs.map((pair) => pair.private), 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n']) {
    expect(() => keysOf(key)).toThrow('erp.pub is a private key, which must stay with its owner: give the .pub file.');
  }
});

it('are the same whatever their comments say', () => {
  expect([isSameKey(one.public, `${one.public} at home`), isSameKey(one.public, other.public)]).toEqual([true, false]);
});

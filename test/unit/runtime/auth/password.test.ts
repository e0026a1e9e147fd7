import { describe, expect, it } from 'vitest';
import { openPasswords } from '#runtime/auth/password.ts';
import { systemRandom } from '#runtime/clock.ts';

const passwords = openPasswords(systemRandom);
/** `argon2 somesalt -id -t 2 -k 65536 -p 1` of the reference implementation, for 'password'. */
const FOREIGN = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

describe('passwords', () => {
  it('verifies what it hashed, and nothing else', async () => {
    const hash = await passwords.hash('correct horse');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await passwords.verify('correct horse', hash)).toBe(true);
    expect(await passwords.verify('correct horsE', hash)).toBe(false);
    expect(await passwords.verify('', hash)).toBe(false);
  });

  it('salts: the same password never has the same hash twice', async () => {
    expect(await passwords.hash('x')).not.toBe(await passwords.hash('x'));
  });

  it('verifies a hash that the reference implementation made', async () => {
    expect(await passwords.verify('password', FOREIGN)).toBe(true);
    expect(await passwords.verify('passwore', FOREIGN)).toBe(false);
  });

  it.each([
    null,
    '',
    'plain',
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=9999999,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=65536,t=999,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ])('says no to %j, whatever the password', async (hash) => {
    expect(await passwords.verify('password', hash)).toBe(false);
  });

  it('works on many at once', async () => {
    const hash = await passwords.hash('x');
    const results = await Promise.all(Array.from({ length: 12 }, (_, index) => passwords.verify(index % 2 ? 'x' : 'y', hash)));
    expect(results.filter(Boolean)).toHaveLength(6);
  });
});

import { describe, expect, it } from 'vitest';
import { databaseServer } from '#installation/database-server.ts';
import { readConfig } from '#runtime/config/config.ts';

function serverOf(database: string) {
  const sources = { folder: '/', file: () => 'secret\n', environment: {} };
  return databaseServer(readConfig({ name: 'test.yaml', text: `database: ${database}`, sources }).config);
}

describe('the database server', () => {
  it('is none without an address', () => {
    expect(serverOf('{}')).toBeNull();
  });

  it('is what the configuration says, the password without the end of its line', () => {
    expect(serverOf('{url: "postgres://dropgate@db.example:6000/ledgers", password: /password, connections: 4}')).toEqual({
      host: 'db.example',
      port: 6_000,
      user: 'dropgate',
      password: 'secret',
      database: 'ledgers',
      isEncrypted: true,
      ca: null,
      connectionsMax: 4,
    });
  });

  it.each([
    ['db.example', null, true],
    ['10.0.0.5', null, true],
    ['localhost', null, false],
    ['127.0.0.1', null, false],
    ['[::1]', null, false],
    ['%2Frun%2Fpostgresql', null, false],
    ['db.example', 'disable', false],
    ['localhost', 'verify-full', true],
  ])('at %s with sslmode %s is reached by TLS: %s', (host, sslmode, isEncrypted) => {
    expect(serverOf(`{url: "postgres://dropgate@${host}/ledgers", sslmode: ${sslmode}}`)).toMatchObject({ isEncrypted });
  });
});

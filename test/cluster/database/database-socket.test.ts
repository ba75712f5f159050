import { createServer, type AddressInfo, type Server } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { DatabaseSocket, identityError } from '../../../src/cluster/database/database-socket.js';

const certificate = (subjectaltname: string | undefined, CN = 'database'): PeerCertificate =>
  ({ subject: { CN }, ...(subjectaltname === undefined ? {} : { subjectaltname }) }) as PeerCertificate;

describe('the identity of a server', () => {
  test.each([
    ['10.0.0.1', certificate('IP Address:10.0.0.1')],
    ['10.0.0.1', certificate('DNS:db1, IP Address:10.0.0.1')],
    ['::1', certificate('IP Address:0:0:0:0:0:0:0:1')],
    ['10.0.0.1', certificate('DNS:10.0.0.1')],
    ['10.0.0.1', certificate(undefined, '10.0.0.1')],
    ['10.0.0.1', certificate('DNS:db1', '10.0.0.1')],
    ['db1', certificate('DNS:db1')],
    ['db1.db.example', certificate('DNS:*.db.example')],
    ['db1', certificate(undefined, 'db1')],
  ])('%s belongs to a certificate that has it', (host, peer) => {
    expect(identityError(host, peer)).toBeUndefined();
  });

  test.each([
    ['10.0.0.1', certificate('DNS:localhost')],
    ['10.0.0.1', certificate('IP Address:10.0.0.2')],
    ['10.0.0.1', certificate('IP Address:10.0.0.2', '10.0.0.1')],
    ['localhost', certificate('IP Address:127.0.0.1')],
    ['db1', certificate('DNS:db2', 'db1')],
    ['a.db1.db.example', certificate('DNS:*.db.example')],
  ])('%s does not belong to another certificate', (host, peer) => {
    expect(identityError(host, peer)).toMatchObject({ message: expect.stringContaining('does not match') });
  });
});

describe('a connection with TLS', () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  /** Starts a server that gives one answer to the request for TLS. @returns its port. */
  async function answering(answer: string): Promise<number> {
    const made = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end(answer)),
    );
    server = made;
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
    return (made.address() as AddressInfo).port;
  }

  test.each([
    ['refuses it', 'N', /does not offer TLS/],
    ['answers with an error', 'E\0\0\0\x05', /does not offer TLS/],
    ['adds bytes that are not encrypted', 'SZ\0\0\0\x05I', /does not offer TLS/],
    ['says nothing', '', /connection ended/],
    ['ends after its consent', 'S', /disconnected|ended/],
  ])('is not made to a server that %s', async (_, answer, reason) => {
    const port = await answering(answer);
    const socket = new DatabaseSocket({ rejectUnauthorized: false }, { host: '127.0.0.1', port });
    await expect(socket.ready).rejects.toThrow(reason);
    socket.destroy();
  });

  test('that is ended while it is made is not made', async () => {
    const port = await answering('S');
    const socket = new DatabaseSocket({ rejectUnauthorized: false }, { host: '127.0.0.1', port });
    socket.destroy();
    await expect(socket.ready).rejects.toThrow('ended');
  });
});

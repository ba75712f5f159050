import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { countKinds, openFiles, withDatabasesOnce } from './open-files.js';

it('counts a connection to a server once its client has closed it, and not before', async () => {
  const accepted: Socket[] = [];
  // Closes no connection, as a server with a leak does.
  const server = createServer({ allowHalfOpen: true }, (socket) => void accepted.push(socket.resume()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sockets = (): number =>
    openFiles(process.pid, port).filter((name) => name.startsWith('socket')).length;
  const before = sockets();
  const clients = [1, 2, 3].map(() => connect(port, '127.0.0.1'));
  try {
    await until('the connections', () => accepted.length === 3);
    // This process has the ends of the clients, too. The system's table of connections may lack one while others change.
    await until('three more', () => sockets() === before + 3);
    for (const client of clients) client.end();
    await until('the ends of the clients', () => accepted.every(({ readableEnded }) => readableEnded));
    await until('six more', () => sockets() === before + 6);
  } finally {
    for (const socket of [...clients, ...accepted]) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

it('counts the main file of a database once, and each of its logs', () => {
  const files = ['/w/a', '/w/a-wal', '/w/a', '/w/a-wal', '/w/b', '/w/b', '/dev/null', '/dev/null'];
  expect(withDatabasesOnce(files)).toEqual([
    ...['/w/a', '/w/a-wal', '/w/a-wal', '/w/b', '/w/b', '/dev/null', '/dev/null'],
  ]);
});

it('names kinds of files', () => {
  const files = ['socket:[1]', 'socket:[2]', '/w/a1', '/w/a1-wal', '/w/a2-wal', '/dev/null'];
  expect(countKinds(files)).toBe('2 socket, 2 file, 2 file -wal');
});

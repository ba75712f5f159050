import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { post } from '../support/network/json-rpc.js';
import { until } from '../support/fakes/until.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { logged } from '../support/processes/process.js';

/** Default of `--rpc-max-connections-per-private-ip`. */
const PER_ADDRESS = 25;
const VERSION = '{"jsonrpc":"2.0","id":"0","method":"get_version"}';

let wallet: WalletRpc;
const sockets: Socket[] = [];

beforeAll(async () => {
  wallet = await startWalletRpc({ args: ['--rpc-login=user:password'] });
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await wallet.stop();
});

/** Starts a request without a login that never completes. */
function unfinished(): void {
  const socket = connect(wallet.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined).resume();
  socket.write('POST /json_rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{"id":');
}

const version = (): string =>
  execFileSync(
    'curl',
    [
      ...['-s', '--digest', '-u', 'user:password', '--max-time', '5'],
      ...[`http://127.0.0.1:${wallet.port}/json_rpc`, '-d', VERSION],
    ],
    { encoding: 'utf8' },
  );

describe('unfinished requests without a login, up to the limit of an address', () => {
  it('block the address for seconds only, and are logged', async () => {
    for (let i = 0; i < PER_ADDRESS; i++) unfinished();
    await until('the address is shut out', async () =>
      post(wallet.port, '/json_rpc', VERSION).then(
        () => undefined,
        () => true,
      ),
    );
    const closed = / W connection closed: .*max-connections-per.* ip=127\.0\.0\.1 limit=25/;
    await logged(wallet.process, closed);
    expect(await until('a client with the login', () => version())).toContain('65539');
  });
});

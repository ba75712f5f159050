import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort, start, stop } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { MAIN } from '../support/processes/wallet-rpc.js';
import { runWalletRpc, type WalletRpcRun } from '../support/processes/wallet-rpc-run.js';
import { itAtNight } from '../support/jest/lanes.js';

let directory: string;
let secretFile: string;
const sockets = new Set<Socket>();
let server: Server | undefined;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cluster-refusals-'));
  secretFile = join(directory, 'secret');
  writeFileSync(secretFile, randomBytes(32).toString('hex'), { mode: 0o600 });
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
  server = undefined;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Starts a program in place of the database. @returns its port. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const made = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return (made.address() as AddressInfo).port;
}

/** Answers as PostgreSQL does to a wrong password. */
const refusePassword = (socket: Socket): void =>
  refuse(socket, '28P01', 'password authentication failed for user "wallet"');

/** Refuses a session. Source: PostgreSQL, Message Formats, ErrorResponse. */
function refuse(socket: Socket, code: string, message: string): void {
  socket.once('data', () => {
    const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`, 'latin1');
    const head = Buffer.alloc(5, 'E');
    head.writeUInt32BE(fields.length + 4, 1);
    socket.end(Buffer.concat([head, fields]));
  });
}

const databaseAt = (port: number): string => `postgres://wallet:must-not-leak@127.0.0.1:${port}/cluster`;

const argumentsWith = (): string[] => [
  ...[`--wallet-dir=${join(directory, 'wallets')}`, '--rpc-bind-port=0', '--offline', '--disable-rpc-login'],
  ...[
    `--cluster-secret-file=${secretFile}`,
    '--cluster-url=http://127.0.0.1:18083',
    '--cluster-timeout=1000',
  ],
];

/** Starts a process with the address of a database. */
const startAt = (database: string): Promise<WalletRpcRun> =>
  runWalletRpc(argumentsWith(), { WALLET_RPC_CLUSTER: database });

/** Expects a refusal that names its option and no password. */
function expectRefusal(run: WalletRpcRun, message: RegExp): void {
  expect(run.stderr).toMatch(message);
  expect(run.stderr).not.toMatch(/--cluster: --cluster| at .*\.js:/);
  expect(run.code).toBe(1);
  expect(run.output).not.toContain('must-not-leak');
}

describe('a process whose database', () => {
  itAtNight('says nothing ends with an error', async () => {
    const port = await listen(() => undefined);
    expectRefusal(
      await startAt(databaseAt(port)),
      /--cluster: the database cannot be used: .*no server takes writes \(no answer within 1000 ms\)/,
    );
  });

  test('is not there ends with an error', async () => {
    const run = await startAt(databaseAt(await freePort()));
    expectRefusal(run, /--cluster: the database cannot be used: .*ECONNREFUSED/);
  });

  itAtNight('is another program ends with an error', async () => {
    const port = await listen((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    expectRefusal(await startAt(databaseAt(port)), /--cluster: the database cannot be used/);
  });

  itAtNight('refuses the password ends with an error', async () => {
    const run = await startAt(databaseAt(await listen(refusePassword)));
    expectRefusal(run, /--cluster: the database refuses the login: .*password authentication failed/);
  });

  itAtNight('is a pooler of connections ends with an error that names PgBouncer', async () => {
    const port = await listen((socket) =>
      refuse(socket, '08P01', 'unsupported startup parameter: client_min_messages'),
    );
    expectRefusal(
      await startAt(databaseAt(port)),
      /--cluster: PgBouncer, .* stands before the database .*: .*give the address of PostgreSQL itself/,
    );
  });

  itAtNight('has an address that is none ends with an error', async () => {
    expectRefusal(
      await startAt('postgres://wallet:must-not-leak@/'),
      /--cluster: not the address of a database/,
    );
  });

  itAtNight('has a secret file that others can read ends with an error', async () => {
    const open = join(directory, 'open');
    writeFileSync(open, randomBytes(32).toString('hex'), { mode: 0o644 });
    const rest = argumentsWith().filter((argument) => !argument.startsWith('--cluster-secret-file'));
    const refused = await runWalletRpc([...rest, `--cluster-secret-file=${open}`], {
      WALLET_RPC_CLUSTER: databaseAt(1),
    });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('chmod 600')]);
  });
});

test('the password of the database is not in the process list while the process waits for it', async () => {
  let isAsked = false;
  const port = await listen(() => (isAsked = true));
  const running = start(process.execPath, [MAIN, ...argumentsWith()], {
    ...process.env,
    WALLET_RPC_CLUSTER: databaseAt(port),
  });
  try {
    await until('the database is asked', () => isAsked || undefined);
    const { pid = 0 } = running.child;
    for (const file of ['cmdline', 'comm'])
      expect(readFileSync(`/proc/${pid}/${file}`, 'utf8')).not.toContain('must-not-leak');
  } finally {
    await stop(running);
  }
});

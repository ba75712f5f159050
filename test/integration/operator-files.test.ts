import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { walletCalls } from '../support/network/json-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startWalletRpc } from '../support/processes/wallet-rpc.js';
import { runWalletRpc } from '../support/processes/wallet-rpc-run.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/*
 * Files that the operator names and that are none: a pipe that no other program has open, a link to itself, a folder, a
 * device without an end.
 */

const DATABASE = 'postgres://wallet@127.0.0.1:1/cluster';

let folder: string;
let args: readonly string[];
/** Password file of an empty password, and a secret file of a cluster. */
let passwordFile: string;
let secretFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-'));
  [passwordFile, secretFile] = [join(folder, 'password'), join(folder, 'secret')];
  writeFileSync(passwordFile, '');
  writeFileSync(secretFile, 'ab'.repeat(32), { mode: 0o600 });
  mkdirSync(join(folder, 'folder'), { mode: 0o700 });
  symlinkSync('/dev/zero', join(folder, 'device'));
  args = ['--offline', '--rpc-bind-port=0', '--disable-rpc-login', `--wallet-dir=${join(folder, 'wallets')}`];
  execFileSync('mkfifo', ['-m', '600', join(folder, 'pipe')]);
  symlinkSync('loop', join(folder, 'loop'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Options with a file, with the options that each needs beside it. */
const OPTIONS: readonly (readonly [option: string, others: readonly string[]])[] = [
  ['config-file', []],
  ['log-file', []],
  ['audit-log', []],
  ['pidfile', []],
  ['credentials', []],
  ['pay-merchant-file', ['--pay-bind=0']],
  ['rpc-ssl-ca-certificates', []],
  ['rpc-ssl-certificate', ['--rpc-ssl-private-key=/dev/null']],
];

describe.each(
  someRows([
    ['pipe', 'ENODATA', 'ENXIO'],
    ['loop', 'ELOOP', 'ELOOP'],
  ]),
)('a start with a %s in place of a file', (name, readCode, writeCode) => {
  it.each(someRows(OPTIONS))('is refused with the name of the option: --%s', async (option, others) => {
    const given = option === 'credentials' ? args.filter((arg) => arg !== '--disable-rpc-login') : args;
    const { code, stderr } = await runWalletRpc([...given, ...others, `--${option}=${join(folder, name)}`]);
    expect(stderr).toContain(`--${option}: `);
    expect(stderr).toMatch(new RegExp(`\\((${readCode}|${writeCode})\\)`));
    expect(code).toBe(1);
  });

  itAtNight('is refused with the path of a password file, also by a command', async () => {
    const path = join(folder, name);
    const start = [
      '--offline',
      '--rpc-bind-port=0',
      '--disable-rpc-login',
      `--wallet-file=${join(folder, 'w')}`,
    ];
    for (const given of [
      [...start, `--password-file=${path}`],
      ['verify', folder, `--password-file=${path}`],
    ]) {
      const { code, stderr } = await runWalletRpc(given);
      expect(stderr).toContain(`--password-file: ${path} cannot be read (${readCode})`);
      expect(code).toBe(1);
    }
  });
});

const clusterWith = (database: string, secret: string): readonly string[] => [
  `--cluster=${database}`,
  `--cluster-secret-file=${secret}`,
  '--cluster-url=http://127.0.0.1:18083',
];

/** Option with a file of TLS of the node, or of a cluster, with the text before the code of the error. */
const FURTHER: readonly (readonly [option: string, (path: string) => readonly string[], prefix: string])[] = [
  [
    'daemon-ssl-certificate',
    (path) => [`--daemon-ssl-certificate=${path}`, `--daemon-ssl-private-key=${path}`],
    '--daemon-ssl-…: the TLS file of the daemon settings with the private key',
  ],
  [
    'daemon-ssl-ca-certificates',
    (path) => [`--daemon-ssl-ca-certificates=${path}`],
    '--daemon-ssl-…: the TLS file of the daemon settings with the authorities',
  ],
  ['cluster-secret-file', (path) => clusterWith(DATABASE, path), 'the secret file'],
  [
    'sslrootcert',
    (path) => clusterWith(`${DATABASE}?sslmode=verify-full&sslrootcert=${path}`, secretFile),
    '--cluster: the file of sslrootcert',
  ],
  [
    'cluster-ca-certificates',
    (path) => [...clusterWith(DATABASE, secretFile), `--cluster-ca-certificates=${path}`],
    '--cluster-ca-certificates: ',
  ],
];
describe.each(
  someRows([
    ['pipe', 'ENODATA'],
    ['loop', 'ELOOP'],
    ['folder', 'EISDIR'],
    ['device', 'EFBIG'],
  ]),
)('a file of TLS, or of a cluster, that is a %s', (name, code) => {
  it.each(someRows(FURTHER))('is refused at the start: %s', async (option, given, prefix) => {
    const start = option.startsWith('daemon-ssl')
      ? args
          .filter((arg) => arg !== '--offline')
          .concat('--daemon-address=127.0.0.1:1', '--daemon-ssl=enabled', '--daemon-ssl-allow-any-cert')
      : args;
    const { code: status, stderr } = await runWalletRpc([...start, ...given(join(folder, name))]);
    expect(stderr).toContain(prefix);
    // Other users may use the device: the secret file is refused for that before it is read.
    expect(stderr).toContain(
      option === 'cluster-secret-file' && name === 'device' ? 'chmod 600' : `(${code})`,
    );
    expect(status).toBe(1);
  });
});

describe('a backup', () => {
  const copyOf = (odd: string, ending: string): string => {
    const directory = mkdtempSync(join(folder, 'backup-'));
    for (const file of ['w', 'w.keys']) cpSync(join(folder, 'made', file), join(directory, file));
    const path = join(directory, `w${ending}`);
    rmSync(path);
    if (odd === 'pipe') execFileSync('mkfifo', [path]);
    else if (odd === 'folder') mkdirSync(path);
    else symlinkSync(odd === 'loop' ? `w${ending}` : '/dev/zero', path);
    return directory;
  };

  beforeAll(async () => {
    const server = await startWalletRpc({ walletDir: join(folder, 'made') });
    await createWallet(server, 'w');
    await server.stop({ keep: true });
  });

  describe.each(someRows(['', '.keys']))('whose file w%s is none', (ending) => {
    it.each(someRows(['pipe', 'loop', 'folder', 'device']))(
      'is not restored, nor waited for: a %s',
      async (odd) => {
        const target = join(folder, 'restored');
        const { code, stderr } = await runWalletRpc([
          ...['restore', copyOf(odd, ending), `--wallet-dir=${target}`],
          `--password-file=${passwordFile}`,
        ]);
        expect(stderr).toMatch(/no regular file|directory|links|ELOOP/);
        expect(code).toBe(1);
        expect(existsSync(join(target, 'w.keys'))).toBe(false);
      },
    );
  });
});

describe('a wallet of --open', () => {
  it('is not opened, nor waited for, where its password file is a pipe', async () => {
    const passwords = join(folder, 'passwords');
    mkdirSync(passwords);
    execFileSync('mkfifo', ['-m', '600', join(passwords, 'w')]);
    const server = await startWalletRpc({
      walletDir: join(folder, 'made'),
      args: ['--open=w', `--password-dir=${passwords}`],
    });
    try {
      const { error } = await walletCalls(server.port, 'w').call('get_balance');
      expect(error).toMatchObject({
        code: -13,
        message: expect.stringContaining('its password file cannot be read'),
      });
    } finally {
      await server.stop({ keep: true });
    }
  });
});

describe('a text that a command prints', () => {
  it('has no character that changes its direction or controls the terminal', async () => {
    const { stderr } = await runWalletRpc([
      'verify',
      join(folder, 'a\u202eb\u001bc'),
      '--password-file=/dev/null',
    ]);
    expect(stderr).toContain('\\u202e');
    expect(stderr).not.toMatch(/[\u202e\u001b]/);
  });
});

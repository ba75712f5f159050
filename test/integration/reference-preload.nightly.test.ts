import { createPublicKey } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { slowHash } from '../../src/monero/crypto/slow-hash.js';
import { loadKeysFile } from '../../src/store/keys/keys-file-disk.js';
import { lookaheadOf } from '../../src/store/keys/keys-file.js';
import { toHex } from '../../src/util/bytes.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import {
  DEFAULT_LOOKAHEAD_ENV,
  referenceEnv,
  referencePreload,
} from '../support/processes/reference-preload.js';
import { SLOW_HASHES } from '../support/jest/slow-hashes.js';
import { startReference } from '../support/processes/wallet-rpc.js';

const preload = referencePreload();

describe("the preloaded library of the reference's programs", () => {
  let daemon: Monerod;

  beforeAll(async () => {
    daemon = await startMonerod({ tls: true });
  });

  afterAll(() => daemon?.stop());

  /** Returns the public key of the daemon's certificate, DER. */
  const certificateKey = (): Promise<Buffer | undefined> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port: daemon.port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' }));
        socket.destroy();
      });
      socket.once('error', reject);
    });

  it('gives certificates the prepared key, which has as many bits as a generated one', async () => {
    const key = await certificateKey();
    const prepared =
      preload === undefined
        ? key
        : createPublicKey(readFileSync(preload.key)).export({ type: 'spki', format: 'der' });
    expect(key).toEqual(prepared);
    expect(
      createPublicKey({ key: key ?? '', type: 'spki', format: 'der' }).asymmetricKeyDetails,
    ).toMatchObject({ modulusLength: 4096 });
  });

  it('leaves the clock of a running daemon alone', async () => {
    const { start_time } = await daemon.rpc('get_info');
    expect(Math.abs(Date.now() / 1000 - start_time)).toBeLessThan(60);
  });

  it.each(['monerod', 'monero-wallet-rpc', 'monero-wallet-cli'])(
    'does not change the output of %s',
    (program) => {
      const version = (env: NodeJS.ProcessEnv): string =>
        execFileSync(program, ['--version'], { env }).toString();
      expect(version(referenceEnv())).toBe(version(process.env));
    },
  );

  const usual = { major: 50, minor: 200 };

  it.each([
    ['few', {}, preload === undefined ? usual : { major: 5, minor: 20 }],
    ['as many as usual, if the environment asks for it,', DEFAULT_LOOKAHEAD_ENV, usual],
  ])('makes new wallets watch %s subaddresses', async (_, env, lookahead) => {
    const server = await startReference({ env });
    await createWallet(server, 'new');
    const file = await loadKeysFile(join(server.walletDir, 'new.keys'), '', 1);
    expect(lookaheadOf(file)).toEqual(lookahead);
    await server.stop();
  });

  it('records the hash of a password, from which later wallets take it', async () => {
    const records = mkdtempSync(join(tmpdir(), 'reference-hashes-'));
    const server = await startReference({ env: { [SLOW_HASHES]: records } });
    const password = 'recorded';
    const create = async (filename: string): Promise<string> => {
      await server.rpc('create_wallet', { filename, password, language: 'English' });
      return join(server.walletDir, `${filename}.keys`);
    };
    const opens = (keysFile: string): Promise<boolean> =>
      loadKeysFile(keysFile, password, 1).then(
        () => true,
        () => false,
      );
    expect(await opens(await create('first'))).toBe(true);

    const record = join(records, `reference-${toHex(Buffer.from(password))}`);
    expect(existsSync(record)).toBe(preload !== undefined);
    if (preload !== undefined) {
      expect(readFileSync(record)).toEqual(Buffer.from(slowHash(Buffer.from(password))));
      writeFileSync(record, new Uint8Array(32));
    }
    expect(await opens(await create('second'))).toBe(preload === undefined);
    await server.stop();
    rmSync(records, { recursive: true });
  });

  it('lets programs without OpenSSL run', () => {
    expect(execFileSync('echo', ['runs'], { env: referenceEnv() }).toString()).toBe('runs\n');
  });
});

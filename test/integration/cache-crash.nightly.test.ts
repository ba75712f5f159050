import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { draftOf } from '../../src/store/file/file-draft.js';
import { saveKeysFile } from '../../src/store/keys/keys-file-disk.js';
import { storeFormat } from '../../src/store/file/store-format.js';
import { systemRng } from '../../src/util/random.js';
import { turns } from '../support/fakes/event-loop-turns.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { fullCache, keysFile, vector } from '../monero/wallet/reference-cache/vector.js';

const { password, kdfRounds } = vector;

let walletDir: string;
let wallet: WalletRpc;

beforeEach(async () => {
  walletDir = mkdtempSync(join(tmpdir(), 'taken-'));
  await saveKeysFile(join(walletDir, 'w.keys'), keysFile, password, kdfRounds, systemRng);
  writeFileSync(join(walletDir, 'w'), fullCache);
  wallet = await startWalletProcess({ walletDir });
});

afterEach(async () => {
  await wallet.stop({ signal: 'SIGKILL' });
  rmSync(walletDir, { recursive: true, force: true });
});

/** Polls for a file without a pause, until the call ends: a busy machine may miss one that is there for a moment. */
async function appears(name: string, call: Promise<unknown>): Promise<void> {
  const ended = { is: false };
  const end = (): void => void (ended.is = true);
  call.then(end, end);
  while (!ended.is && !existsSync(join(walletDir, name))) await turns();
}

describe('kill -9 during the import of a cache leaves the cache or the complete store', () => {
  test.each(['w.lock', draftOf('w'), `${draftOf('w')}-wal`, 'w.reference-cache', 'w-wal'])(
    'when %s appears',
    async (name) => {
      await appears(name, wallet.call('open_wallet', { filename: 'w', password }));
      await wallet.stop({ signal: 'SIGKILL' });
      const place = await storeFormat(join(walletDir, 'w'));
      if (place === 'foreign') expect(readFileSync(join(walletDir, 'w'))).toEqual(Buffer.from(fullCache));
      else expect(place).toBe('store');

      wallet = await startWalletProcess({ walletDir });
      await wallet.rpc('open_wallet', { filename: 'w', password });
      const { addresses } = await wallet.rpc('get_address');
      expect((addresses as { label: string }[]).map(({ label }) => label)).toEqual([
        'Primary account',
        'Zoë',
        'Zoë',
      ]);
      expect((await wallet.rpc('get_address_book')).entries).toHaveLength(3);
      expect(readFileSync(join(walletDir, 'w.reference-cache'))).toEqual(Buffer.from(fullCache));
    },
  );
});

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { saveKeysFile } from '../../src/store/keys/keys-file-disk.js';
import { systemRng } from '../../src/util/random.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { mutatedBytes } from '../support/values/mutations.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { watchState, type WalletState } from '../support/wallets/wallet-state.js';
import { fullCache, keysFile, vector } from '../monero/wallet/reference-cache/vector.js';
import { isNight } from '../support/jest/lanes.js';

/*
 * Files of a closed wallet, mutated while another wallet is open. Opening it fails with an error, and leaves the other
 * wallet open and every file unchanged; or it opens as the original wallet.
 */

type Files = Readonly<Record<string, Uint8Array>>;

let server: WalletRpc;
let state: WalletState;
/** Files of a wallet with records in its store, and of a wallet of the reference. */
const wallets: { own: Files; reference: Files } = { own: {}, reference: {} };
let ownAddress: string;

const { password } = vector;
const ATTRIBUTES = 40;
const VALUE = 'v'.repeat(300);

/** Current files of the wallet `w`. */
const filesNow = (): Files =>
  Object.fromEntries(
    readdirSync(server.walletDir)
      .filter((name) => name === 'w' || /^w[.-]/.test(name))
      .map((name) => [name, Uint8Array.from(readFileSync(join(server.walletDir, name)))]),
  );

function putFiles(files: Files): void {
  for (const name of Object.keys(filesNow())) rmSync(join(server.walletDir, name));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(server.walletDir, name), bytes);
}

beforeAll(async () => {
  server = await startWalletRpc();
  await createWallet(server, 'w', password);
  await server.rpc('set_subaddress_lookahead', { password, major_idx: 2, minor_idx: 3 });
  for (let i = 0; i < ATTRIBUTES; i++) await server.rpc('set_attribute', { key: `k${i}`, value: VALUE });
  ({ address: ownAddress } = await server.rpc('get_address'));
  await server.rpc('close_wallet');
  wallets.own = filesNow();
  putFiles({ w: fullCache });
  await saveKeysFile(join(server.walletDir, 'w.keys'), keysFile, password, vector.kdfRounds, systemRng);
  wallets.reference = filesNow();
  putFiles({});
  await createWallet(server, 'open', 'x');
  state = await watchState(server, 'open');
});

afterAll(async () => {
  await server?.stop();
});

/**
 * Opens a wallet with a mutated file, and checks that it is refused unchanged or opened whole.
 * @param isWhole checks a wallet that opens despite the mutation.
 */
async function expectRefusedOrWhole(
  files: Files,
  name: string,
  isWhole: (changed: Uint8Array) => Promise<void>,
  runs: number,
): Promise<void> {
  const shown = await state.shown();
  const stored = state.stored();
  await fc.assert(
    fc.asyncProperty(mutatedBytes(files[name] ?? new Uint8Array()), async (changed) => {
      const given = { ...files, [name]: changed };
      putFiles(given);
      const { error } = await server.call('open_wallet', { filename: 'w', password });
      if (error === undefined) {
        await isWhole(changed);
        await server.rpc('open_wallet', { filename: 'open', password: 'x' });
      } else {
        expect(error).toMatchObject({ code: -1, message: expect.stringMatching(/./) });
        expect(filesNow()).toEqual(given);
      }
      expect(state.stored()).toEqual(stored);
    }),
    { numRuns: runs },
  );
  expect(await state.shown()).toEqual(shown);
}

const expectAddress = async (address: string): Promise<void> =>
  expect((await server.rpc('get_address')).address).toBe(address);

const isAside = (changed: Uint8Array): boolean =>
  Object.entries(filesNow()).some(([name, bytes]) => name !== 'w' && Buffer.compare(bytes, changed) === 0);

describe('a changed keys file', () => {
  it('is refused, or opens the same wallet', () =>
    expectRefusedOrWhole(wallets.own, 'w.keys', () => expectAddress(ownAddress), isNight ? 25 : 10));
});

describe('a changed store', () => {
  it('is refused, or opens unchanged, or is renamed to a backup', () =>
    expectRefusedOrWhole(
      wallets.own,
      'w',
      async (changed) => {
        // A page is verified only when it is read.
        const expectOrDamaged = async (method: string, params: object, expected: object): Promise<void> => {
          const { error, result } = await server.call(method, params);
          if (error === undefined) expect(result).toMatchObject(expected);
          else expect(error).toMatchObject({ code: -1, message: expect.stringMatching(/damaged/) });
        };
        await expectOrDamaged('get_address', {}, { address: ownAddress });
        if (isAside(changed)) return;
        for (let i = 0; i < ATTRIBUTES; i++)
          await expectOrDamaged('get_attribute', { key: `k${i}` }, { value: VALUE });
      },
      isNight ? 25 : 10,
    ));
});

describe('a changed cache of the reference', () => {
  it('is kept as a backup, imported fully, partly or not at all', () =>
    expectRefusedOrWhole(
      wallets.reference,
      'w',
      async (changed) => {
        await expectAddress(vector.address);
        expect(isAside(changed)).toBe(true);
      },
      isNight ? 8 : 3,
    ));
});

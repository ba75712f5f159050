import { beforeEach, describe, expect, it, test } from '@jest/globals';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import type { ImportedOutput } from '../../../src/store/tables/imported-outputs.js';
import { toHex } from '../../../src/util/bytes.js';
import { coldPair, ColdWallet, exportedOutputs, type ColdPair } from '../../support/wallets/cold-pair.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('output transfer');
const owner = holder(rng);
const ALL = { all: true, start: 0, count: Infinity };
const VALUES = [10n, 20n, 30n, 40n, 50n];
const OUTPUTS = VALUES.map((value, i) =>
  paidOutput(owner, value, i + 1, rng, { subaddress: { major: i % 2, minor: i % 3 }, outputIndex: i % 2 }),
);

let pair: ColdPair;

beforeEach(() => {
  pair = coldPair(owner, OUTPUTS);
});

const imported = ({ wallet }: ColdWallet = pair.signer): ImportedOutput[] =>
  wallet.store.read((r) => r.imported.list());
const blob = async (range = ALL): Promise<string> => toHex(await pair.watch.outputTransfer.export(range));
const invalid = (text: string) => ({ fault: { kind: 'invalid', text } });

describe('an import is refused', () => {
  const refused = async (hex: string | Promise<string>, text: string, by = pair.signer): Promise<void> => {
    await expect(by.outputTransfer.importBlob(await hex, false)).rejects.toMatchObject(invalid(text));
    expect(imported(by)).toEqual([]);
  };

  it('for text that is not hexadecimal', async () => {
    await expect(pair.signer.outputTransfer.importBlob('xyz', false)).rejects.toMatchObject(
      fault({ kind: 'bad_hex', what: 'outputs_data_hex' }),
    );
  });

  it('for a blob that is no export, was cut or was changed', async () => {
    const hex = await blob();
    await refused('', 'Bad magic from outputs');
    await refused(hex.slice(0, 60), 'Failed to decrypt outputs: Unexpected ciphertext size');
    const changed = hex.slice(0, 80) + (hex[80] === '0' ? '1' : '0') + hex.slice(81);
    await refused(changed, 'Failed to decrypt outputs: Failed to authenticate ciphertext');
  });

  it('for outputs behind some that are missing', async () => {
    await refused(
      blob({ all: true, start: 1, count: 2 }),
      'Imported outputs omit more outputs that we know of',
    );
  });

  it('by a wallet that reads the chain itself', async () => {
    pair.signer.wallet.receive(pair.outputs, 120);
    await refused(blob(), 'Hot wallets cannot import outputs');
  });

  it('by a wallet with the same view key and another spend key', async () => {
    const other = new ColdWallet(
      new ServiceWallet(ownKeys({ ...holder(rng), viewSecret: owner.viewSecret })),
    );
    await refused(blob(), 'Outputs from are for a different account', other);
  });

  it('by a view-only wallet: it cannot derive key images', async () => {
    const blind = new ColdWallet(new ServiceWallet(ownKeys(owner, true)));
    await expect(blind.outputTransfer.importBlob(await blob(), false)).rejects.toMatchObject({
      fault: { kind: 'invalid', reason: 'a view-only wallet cannot make key images' },
    });
  });

  test.each<[string, object]>([
    ['that pays another wallet', { publicKey: holder(rng).spendPublicKey }],
    ['whose key is no point', { publicKey: new Uint8Array(32).fill(0xff) as PublicKey }],
    ['that lies outrageously far in its transaction', { outputIndex: 65_536 }],
  ])('for an output %s, and nothing is taken', async (_, change) => {
    const told = await exportedOutputs(pair.watch, ALL);
    const outputs = told.outputs.map((output, i) => (i === 3 ? { ...output, ...change } : output));
    await expect(pair.signer.outputTransfer.import({ ...told, outputs })).rejects.toMatchObject({
      fault: { kind: 'invalid' },
    });
    expect(imported()).toEqual([]);
  });
});

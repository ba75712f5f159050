import { describe, expect, it, test } from '@jest/globals';
import { sealUnsigned } from '../../../src/services/cold/cold-signing.js';
import { decode } from '../../../src/util/codec.js';
import { fromHex } from '../../../src/util/bytes.js';
import { unsignedTxSet } from '../../../src/monero/wallet/exchange/cold-tx-sets.js';
import { openExport } from '../../../src/monero/wallet/exchange/export-blob.js';
import { coldPair } from '../../support/wallets/cold-pair.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { exportKeys, vectors } from '../../monero/wallet/cold-vectors.js';
import { holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('unsigned set');
const owner = holder(rng);
const outputs = [1n, 2n].map((value, i) => paidOutput(owner, value, i + 1, rng));
const unsigned = openExport('unsignedTxs', fromHex(vectors.unsignedTxs), exportKeys);
const { txs } = decode(unsignedTxSet('current'), unsigned);

describe('a sealed set of unsigned transactions', () => {
  test.each(['current', '0.18.0'] as const)(
    'holds the transactions, and the outputs that the signer needs (format %s)',
    async (format) => {
      const { watch, signer } = coldPair(owner, outputs, format);
      const sealed = await sealUnsigned(watch.wallet, watch.outputTransfer, txs);
      const set = decode(unsignedTxSet(format), await signer.wallet.exports.open('unsignedTxs', sealed));
      expect(set.txs).toEqual(txs);
      expect(set.outputs).toMatchObject({ first: 0, total: 2 });
      expect(set.outputs.outputs.map(({ publicKey }) => publicKey)).toEqual(
        outputs.map(({ publicKey }) => publicKey),
      );
    },
  );

  it('may hold none', async () => {
    const { watch, signer } = coldPair(owner, []);
    const sealed = await sealUnsigned(watch.wallet, watch.outputTransfer, []);
    const set = decode(unsignedTxSet('current'), await signer.wallet.exports.open('unsignedTxs', sealed));
    expect(set).toEqual({ txs: [], outputs: { first: 0, total: 0, outputs: [] } });
  });
});

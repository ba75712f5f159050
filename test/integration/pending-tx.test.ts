import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatAddress } from '../../src/monero/cryptonote/address.js';
import { feePerByte, type FeeRates } from '../../src/monero/wallet/select/fees.js';
import { transactionHash } from '../../src/monero/cryptonote/transaction.js';
import { amount } from '../../src/util/amount.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { decode, encode } from '../../src/util/codec.js';
import { chooseRings, GammaPicker } from '../../src/monero/wallet/select/decoys.js';
import { keyImagesOf, pendingTx, pendingTxOf } from '../../src/monero/wallet/exchange/pending-tx.js';
import { buildTransaction } from '../../src/monero/wallet/build/signing.js';
import { planTransfers } from '../../src/monero/wallet/select/transfer-plan.js';
import { isUnlocked } from '../../src/monero/cryptonote/unlock-time.js';
import { ChainWallet, fetchDistribution, fetchOutputs } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { purseOf } from '../support/wallets/list-coins.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startReference, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { loadCurve } from '../../src/monero/crypto/curve/load-curve.js';

const COIN = 1_000_000_000_000n;
const rng = seededRng('pending');
const ours = new ChainWallet(rng);
let daemon: Monerod;
let reference: WalletRpc;
let rates: FeeRates;

beforeAll(async () => {
  daemon = await startMonerod();
  reference = await startReference({ daemon: daemon.address, args: ['--trusted-daemon'] });
  await daemon.generate(ours.addressText(), 100);
  // The same keys in both wallets.
  await reference.rpc('generate_from_keys', {
    filename: 'same-keys',
    password: '',
    address: ours.addressText(),
    spendkey: toHex(ours.spendSecret),
    viewkey: toHex(ours.viewSecret),
    restore_height: 0,
  });
  await reference.rpc('refresh');
  await ours.scan(daemon);
  const { fees, quantization_mask } = (await daemon.rpc('get_fee_estimate')) as Loose;
  rates = { perByte: (fees as number[]).map(BigInt), quantizationMask: BigInt(quantization_mask as number) };
});

afterAll(async () => {
  await reference?.stop();
  await daemon?.stop();
});

describe('tx metadata of the reference', () => {
  it.each([
    ['one destination', [{ amount: 1_000_000_000, index: 0 }]],
    [
      'subaddresses beside the primary address',
      [
        { amount: 5, index: 1 },
        { amount: 6, index: 0 },
        { amount: 7, index: 2 },
      ],
    ],
  ])('of a payment to %s is read whole and written back to the byte', async (_, wanted) => {
    const destinations = wanted.map(({ amount: value, index }) => ({
      amount: value,
      address: ours.addressText({ major: 1, minor: index }),
    }));
    const { tx_metadata, tx_hash, fee, tx_key } = (await reference.rpc('transfer', {
      destinations,
      do_not_relay: true,
      get_tx_key: true,
      get_tx_metadata: true,
    })) as Loose;
    const bytes = fromHex(tx_metadata as string);
    const pending = decode(pendingTx, bytes);
    expect(toHex(encode(pendingTx, pending))).toBe(tx_metadata);
    expect(toHex(transactionHash(pending.tx))).toBe(tx_hash);
    expect(pending.fee).toBe(BigInt(fee as number));
    expect(toHex(pending.txSecretKey) + pending.additionalSecretKeys.map(toHex).join('')).toBe(tx_key);
    // The reference orders destinations differently.
    const named = (list: { address: string; amount: number }[]): string[] =>
      list.map((one) => `${one.amount} ${one.address}`).sort();
    expect(
      named(pending.destinations.map((one) => ({ address: one.original, amount: Number(one.amount) }))),
    ).toEqual(named(destinations));
    expect(
      keyImagesOf(pending.tx)
        .map((image) => `<${toHex(image)}> `)
        .join(''),
    ).toBe(pending.keyImages);
    expect(pending.construction.flags).toEqual({ rct: true, viewTags: true });
    expect(pending.construction.rctConfig).toEqual({ rangeProofType: 3, bpVersion: 4 });
  });
});

describe('tx metadata of ours', () => {
  it('is relayed by the reference, which records the payment as its own', async () => {
    const { height, adjusted_time } = (await daemon.rpc('get_info')) as Loose;
    const all = ours.unspent().sort((a, b) => a.height - b.height || a.globalIndex - b.globalIndex);
    const unspent = all.filter((output) => isUnlocked(output, height as number, adjusted_time as number));
    const address = ours.address({ major: 1, minor: 3 });
    const payee = { address, text: formatAddress(address), amount: amount(2n * COIN) };
    const [planned] = planTransfers(
      { payees: [payee], account: 0, priority: 1, unlockTime: 0n },
      purseOf(unspent),
      rates,
      rng,
    );
    if (planned === undefined) throw new Error('no transaction was planned');
    const picker = new GammaPicker(await fetchDistribution(daemon), rng);
    const { rings } = await chooseRings(planned.inputs, picker, (indices) => fetchOutputs(daemon, indices));
    const inputs = rings.flatMap((ring, i) => {
      const output = planned.inputs[i];
      return output === undefined ? [] : [{ output, ring, place: all.indexOf(output) }];
    });
    const changeAddress = ours.address();
    const plan = {
      inputs: inputs.map(({ output, ring }) => ours.spendable(output, ring)),
      payees: [payee],
      changeAddress,
      fee: planned.fee,
      unlockTime: 0n,
      viewSecret: ours.viewSecret,
    };
    const signed = buildTransaction(plan, feePerByte(rates, 1), rates, rng, loadCurve());
    const pending = pendingTxOf({ signed, inputs, payees: [payee], changeAddress, account: 0 });
    const bytes = encode(pendingTx, pending);
    expect(encode(pendingTx, decode(pendingTx, bytes))).toEqual(bytes);

    const { tx_hash } = (await reference.rpc('relay_tx', { hex: toHex(bytes) })) as Loose;
    expect(tx_hash).toBe(toHex(signed.hash));
    const { pending: open } = (await reference.rpc('get_transfers', { pending: true, pool: false })) as Loose;
    expect(open).toHaveLength(1);
    expect(open[0]).toMatchObject({
      txid: tx_hash,
      fee: Number(signed.fee),
      amount: Number(2n * COIN),
      destinations: [{ address: payee.text, amount: Number(2n * COIN) }],
    });
    expect((await reference.rpc('get_tx_key', { txid: tx_hash })) as Loose).toEqual({
      tx_key: toHex(signed.txSecretKey),
    });
    const { tx_hashes } = (await daemon.plain('/get_transaction_pool_hashes')) as Loose;
    expect(tx_hashes).toEqual([tx_hash]);
  });
});

import { publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import type { Commitment, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { subaddressKeys } from '../../../src/monero/cryptonote/subaddress-keys.js';
import type { Daemon, DaemonTransaction, KeyImageStatus } from '../../../src/daemon/daemon.js';
import { Proofs } from '../../../src/services/proofs/proofs.js';
import { amount, ZERO } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import type { FetchedTx } from '../../../src/monero/wallet/scan/fetched-tx.js';
import { SubaddressTable } from '../../../src/monero/wallet/scan/subaddress-table.js';
import { page } from '../../store/fixtures.js';
import { holder, type Holder } from '../../monero/wallet/fixtures.js';
import { fetchedOf, outputsOf, payment, withPrefix } from '../../monero/wallet/payment-fixture.js';
import { InlineProofs } from '../fakes/inline-proofs.js';
import { seededRng } from '../fakes/seeded-rng.js';
import { namedKeys } from './keystores.js';
import { TestWallet, type TestWalletOptions } from './test-wallet.js';

const rng = seededRng('spends and reserves of a wallet');

/** A wallet with the proofs of it. */
export function openProofs(options: TestWalletOptions = {}) {
  const wallet = new TestWallet(options);
  wallet.watch(2, 3);
  const workers = new InlineProofs();
  const context = Object.assign(wallet, { workers: workers.asPools });
  return { wallet, workers, proofs: new Proofs(context, wallet) };
}

/** The keys of the wallet under test, as the fixtures take them. */
function ownerOf({ spend, viewSecret, spendPublicKey }: ReturnType<typeof namedKeys>): Holder {
  const keys = { viewSecret: viewSecret.expose(), spendSecret: spend, spendPublicKey };
  const table = new SubaddressTable(spendPublicKey, keys.viewSecret, { major: 3, minor: 4 });
  table.expandTo({ major: 0, minor: 0 });
  const address: Holder['address'] = (index = { major: 0, minor: 0 }) => ({
    network: 'mainnet',
    kind: index.major === 0 && index.minor === 0 ? 'standard' : 'subaddress',
    ...subaddressKeys(spendPublicKey, keys.viewSecret, index),
  });
  return { ...keys, table, address };
}
export const owner = ownerOf(namedKeys('test wallet'));
export const payer = holder(rng);

/** Payments of 5 to 0/0, 70 to 1/1 and 300 to 0/2, and the outputs that the wallet has of them. */
export const payments = (
  [
    [5n, 0, 0],
    [70n, 1, 1],
    [300n, 0, 2],
  ] as const
).map(([value, major, minor]) =>
  payment(payer, [{ address: owner.address({ major, minor }), amount: amount(value) }], rng),
);
export const outputs = payments.flatMap((made, i) =>
  outputsOf(owner, made).map((found): OwnedOutput & { readonly keyImage: KeyImage } => ({
    ...found,
    ...{ globalIndex: 10 * (i + 1), rct: true, height: i + 1, unlockTime: 0n, coinbase: false },
    ...{ change: false, burnt: false, frozen: false },
  })),
);
export const receive = ({ store }: TestWallet): void =>
  store.write((w) =>
    w.applyPage(
      page(0, 10, {
        outputs,
        received: outputs.map(({ txHash, height, derivationKey }) => ({
          ...{ txHash, height, timestamp: 1, unlockTime: 0n, fee: ZERO, coinbase: false },
          ...{ txPublicKey: derivationKey, additionalPublicKeys: [] },
        })),
      }),
    ),
  );

/** A transaction that spends outputs, each in a ring of three. */
export function spending(
  spent: readonly { readonly globalIndex: number; readonly keyImage: KeyImage }[],
): FetchedTx {
  const [made] = payments;
  if (made === undefined) throw new Error('no payment');
  const inputs = spent.map(({ globalIndex, keyImage }) => {
    const keyOffsets = [BigInt(globalIndex - 1), 1n, 1n];
    return { type: 'key' as const, amount: ZERO, keyOffsets, keyImage };
  });
  return fetchedOf(withPrefix(made.parsed, { inputs }), rng);
}

const strangers = new Map<number, PublicKey>();
/** Key of an output by global index: of the wallet, or of a stranger. */
export const keyAt = (index: number): PublicKey => {
  const known = strangers.get(index) ?? publicKeyOf(randomSecretKey(rng));
  strangers.set(index, known);
  return outputs.find(({ globalIndex }) => globalIndex === index)?.publicKey ?? known;
};

/** Answers as a daemon that holds transactions in block 1 of 20, and key images in hex that its pool spends. */
export const chainOf = (txs: readonly FetchedTx[], spentImages: readonly string[] = []): Partial<Daemon> => ({
  getTransactions: (hashes) => {
    const names = new Set(hashes.map(toHex));
    const transactions = txs
      .filter(({ hash }) => names.has(toHex(hash)))
      .map((tx): DaemonTransaction => ({ ...tx, inPool: false, doubleSpendSeen: false, blockHeight: 1 }));
    return Promise.resolve({ transactions });
  },
  getOutputs: (indices) =>
    Promise.resolve(
      indices.map((index) => ({
        ...{ publicKey: keyAt(index), commitment: new Uint8Array(32) as Commitment, unlocked: true },
      })),
    ),
  getInfo: () => Promise.resolve({ height: 20 } as Awaited<ReturnType<Daemon['getInfo']>>),
  isKeyImageSpent: (images) =>
    Promise.resolve(images.map((image): KeyImageStatus => (spentImages.includes(toHex(image)) ? 2 : 0))),
});

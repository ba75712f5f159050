import { keyDerivation, publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import type { Hash, KeyImage, PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { parseBlock } from '../../../src/monero/cryptonote/block.js';
import { ownAddress } from '../../../src/monero/cryptonote/subaddress-keys.js';
import { isCoinbase, parseTransaction, transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import type {
  Address,
  PaymentId,
  SubaddressIndex,
  Transaction,
} from '../../../src/monero/cryptonote/types.js';
import { amount } from '../../../src/util/amount.js';
import { bytes32, fromHex, toHex } from '../../../src/util/bytes.js';
import type { Rng } from '../../../src/util/random.js';
import type { SpendableInput } from '../../../src/monero/wallet/build/construction.js';
import type { FetchedOutput, Ring } from '../../../src/monero/wallet/select/decoys.js';
import { outputSecretKey } from '../../../src/monero/cryptonote/own-outputs.js';
import { ownOutputsIn, paymentIdIn } from '../../../src/monero/wallet/scan/block-scan.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { SubaddressTable } from '../../../src/monero/wallet/scan/subaddress-table.js';
import type { Loose } from '../network/json-rpc.js';
import type { Monerod } from '../processes/monerod.js';

/** Wallet in memory that scans a test chain with the functions of `src/monero/wallet`, without files or threads. */
export class ChainWallet {
  readonly viewSecret: SecretKey;
  readonly spendSecret: SecretKey;
  readonly spendPublicKey: PublicKey;
  readonly #table: SubaddressTable;
  readonly #outputs = new Map<string, OwnedOutput>();
  readonly #spent = new Set<string>();
  #height = 1;

  constructor(rng: Rng) {
    this.viewSecret = randomSecretKey(rng);
    this.spendSecret = randomSecretKey(rng);
    this.spendPublicKey = publicKeyOf(this.spendSecret);
    this.#table = new SubaddressTable(this.spendPublicKey, this.viewSecret, { major: 3, minor: 5 });
    this.#table.expandTo({ major: 0, minor: 0 });
  }

  address(index: SubaddressIndex = { major: 0, minor: 0 }): Address {
    return ownAddress(this, 'mainnet', index);
  }

  addressText(index?: SubaddressIndex): string {
    return formatAddress(this.address(index));
  }

  unspent(): OwnedOutput[] {
    return [...this.#outputs.values()].filter(
      ({ keyImage }) => keyImage === undefined || !this.#spent.has(toHex(keyImage)),
    );
  }

  /** Own outputs of one transaction. */
  foundIn(txHash: Hash): OwnedOutput[] {
    return [...this.#outputs.values()].filter((output) => toHex(output.txHash) === toHex(txHash));
  }

  markSpent(keyImages: readonly KeyImage[]): void {
    for (const keyImage of keyImages) this.#spent.add(toHex(keyImage));
  }

  /** Scans all new blocks. */
  async scan(daemon: Omit<Monerod, 'stop'>): Promise<void> {
    const { height } = (await daemon.rpc('get_info')) as { height: number };
    for (; this.#height < height; this.#height++) await this.scanBlock(daemon, this.#height);
  }

  /** Scans one block only, for a wallet that is paid in no other block. */
  async scanBlock(daemon: Omit<Monerod, 'stop'>, height: number): Promise<void> {
    const { blob } = (await daemon.rpc('get_block', { height })) as { blob: string };
    const { minerTx, txHashes } = parseBlock(fromHex(blob));
    const hashes = [transactionHash(minerTx), ...txHashes].map(toHex);
    const { txs } = (await daemon.plain('/get_transactions', { txs_hashes: hashes })) as Loose;
    (txs as { as_hex: string; output_indices: number[] }[]).forEach(({ as_hex, output_indices }, i) => {
      // The daemon sends miner transactions only in pruned form.
      const tx = i === 0 ? minerTx : parseTransaction(fromHex(as_hex));
      this.#receive(tx, output_indices, height);
    });
  }

  #receive(tx: Transaction, globalIndices: readonly number[], height: number): void {
    for (const input of tx.prefix.inputs) if (input.type === 'key') this.markSpent([input.keyImage]);
    const found = ownOutputsIn(tx, this, this.#table);
    if (found.length === 0) return;
    const txHash = transactionHash(tx);
    for (const output of found)
      this.#outputs.set(`${toHex(txHash)}/${output.outputIndex}`, {
        ...output,
        txHash,
        globalIndex: globalIndices[output.outputIndex] ?? -1,
        rct: true,
        height,
        unlockTime: tx.prefix.unlockTime,
        coinbase: isCoinbase(tx),
        change: false,
        burnt: false,
        frozen: false,
      });
  }

  /** Decrypts the payment id of a received transaction. */
  paymentId(tx: Transaction): PaymentId | undefined {
    return paymentIdIn(tx, this.viewSecret);
  }

  spendable(output: OwnedOutput, ring: Ring): SpendableInput {
    if (output.keyImage === undefined) throw new Error('an output without its key image');
    const derivation = keyDerivation(output.derivationKey, this.viewSecret);
    return {
      ring,
      secretKey: outputSecretKey(this, derivation, output.outputIndex, output.subaddress),
      keyImage: output.keyImage,
      amount: amount(output.amount),
      mask: output.mask,
    };
  }
}

/** Fetches outputs of the chain by index. */
export async function fetchOutputs(
  daemon: Omit<Monerod, 'stop'>,
  indices: readonly number[],
): Promise<FetchedOutput[]> {
  const outputs = indices.map((index) => ({ amount: 0, index }));
  const { outs } = (await daemon.plain('/get_outs', { outputs })) as Loose;
  return (outs as { key: string; mask: string; unlocked: boolean }[]).map(({ key, mask, unlocked }) => ({
    publicKey: bytes32(fromHex(key), 'PublicKey'),
    commitment: bytes32(fromHex(mask), 'Commitment'),
    unlocked,
  }));
}

/** Fetches the cumulative number of RingCT outputs by block. */
export async function fetchDistribution(daemon: Omit<Monerod, 'stop'>): Promise<{ cumulative: number[] }> {
  const reply = (await daemon.rpc('get_output_distribution', {
    amounts: [0],
    cumulative: true,
    binary: false,
  })) as Loose;
  return { cumulative: reply.distributions[0].distribution as number[] };
}

import type { Hash } from '../../../src/monero/crypto/types.js';
import { ChainStore } from '../../../src/regtest/store/chain-store.js';
import type { ServedBlock } from '../../../src/regtest/store/served-blocks.js';
import { amount } from '../../../src/util/amount.js';
import { bytes32, concatBytes, type Bytes } from '../../../src/util/bytes.js';
import { seededRng } from '../fakes/seeded-rng.js';

const rng = seededRng('stored chain');
const random32 = <K extends string>() => Uint8Array.from(rng(32)) as Bytes<K>;

/** A chain of random bytes in the store of a regtest daemon. */
export class StoredChain {
  readonly store = new ChainStore();
  /** Blocks of the store, unpruned, with the hashes of their payments. */
  readonly added: { readonly block: ServedBlock; readonly hashes: readonly Hash[] }[] = [];
  #payments = 0;

  /** Adds a block with payments. @param outputs number of outputs of each payment. */
  addBlock(...outputs: number[]): void {
    const height = this.added.length;
    this.#payments += outputs.length;
    const blob = rng(90);
    this.store.blocks.add({
      height,
      hash: random32<'Hash'>(),
      blob,
      timestamp: 0,
      weight: 1,
      longTermWeight: 1,
      difficulty: 1n,
      cumulativeDifficulty: 1n,
      generated: 1n,
      rctOutputs: 0,
      payments: this.#payments,
    });
    const miner = this.#addTx(height, random32<'Hash'>(), new Uint8Array(), 1);
    const hashes = outputs.map(() => random32<'Hash'>());
    const proofs = outputs.map(() => rng(100));
    const txs = outputs.map((count, i) =>
      this.#addTx(height, hashes[i] ?? random32(), proofs[i] ?? rng(1), count),
    );
    this.added.push({
      hashes,
      block: {
        blob,
        payments: txs.map(({ pruned }, i) => ({ blob: concatBytes(pruned, proofs[i] ?? rng(1)) })),
        outputIndices: [miner, ...txs].map(({ indices }) => indices),
      },
    });
  }

  /** Removes the newest block. */
  pop(): void {
    const height = this.added.length - 1;
    this.#payments -= this.added.pop()?.hashes.length ?? 0;
    this.store.outputs.removeOf(height);
    this.store.transactions.removeOf(height);
    this.store.blocks.remove(height);
  }

  close(): void {
    this.store.close();
  }

  #addTx(height: number, hash: Hash, prunable: Uint8Array, outputs: number) {
    const pruned = rng(60);
    const isMiner = prunable.length === 0;
    const id = this.store.transactions.add({
      hash,
      height,
      pruned,
      prunable,
      prunableHash: isMiner ? bytes32<'Hash'>(new Uint8Array(32), 'Hash') : random32<'Hash'>(),
      fee: amount(0n),
      weight: 1,
    });
    const indices = Array.from({ length: outputs }, (_, position) =>
      this.store.outputs.add(0n, id, position, {
        publicKey: random32<'PublicKey'>(),
        commitment: random32<'Commitment'>(),
        unlockTime: 0n,
        height,
      }),
    );
    return { pruned, indices };
  }
}

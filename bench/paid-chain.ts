import { loadKernel } from '../src/monero/kernel/load-kernel.js';
import { NO_VIEW_TAG } from '../src/monero/kernel/kernel.js';
import { G, Point } from '../src/monero/crypto/curve/point.js';
import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { hashToScalar } from '../src/monero/crypto/scalar.js';
import { publicKeyOf, viewTag } from '../src/monero/crypto/derivation.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../src/monero/crypto/types.js';
import { accountKeysOf, spendSecretFromSeed } from '../src/monero/cryptonote/account-keys.js';
import { decodeMnemonic } from '../src/monero/cryptonote/mnemonic.js';
import { subaddressSpendPublicKeys } from '../src/monero/cryptonote/subaddress-keys.js';
import { writeExtra } from '../src/monero/cryptonote/extra.js';
import type { Block, TxOutput } from '../src/monero/cryptonote/types.js';
import { Node } from '../src/regtest/chain/node.js';
import { amount, type Amount } from '../src/util/amount.js';
import { chunks, concatBytes } from '../src/util/bytes.js';
import { encode, varintNumber } from '../src/util/codec.js';
import { seededRng } from '../test/support/fakes/seeded-rng.js';
import { toPublicKey } from '../test/support/values/plain-points.js';

/** Receiver of the payments. */
export interface Payee {
  readonly spendPublicKey: PublicKey;
  readonly viewSecret: SecretKey;
}

/** Seed of the wallet that a chain pays. */
export const PAYEE_SEED =
  'velvet lymph giddy number token physics poetry unquoted nibs useful sabotage limits benches lifestyle eden nitrogen anvil fewest avoid batch vials washing fences goat unquoted';

export const PAYEE: Payee = accountKeysOf(spendSecretFromSeed(decodeMnemonic(PAYEE_SEED).seed));

/** Payments per block, each to another address of the payee. */
export const PAYMENTS_A_BLOCK = 10;

/** Blocks whose payments are computed in one batch. */
export const BLOCKS_AT_ONCE = 100;

/** Timestamp of the chain, in 2024 [Unix s]. */
export const START = 1_718_452_800;

/**
 * Makes a chain in which each block pays the next ten addresses of account 0, and stores it for the regtest daemon.
 * @param payments a multiple of ten. @param addresses number of addresses, a multiple of ten.
 */
export async function makePaidChain(
  dataDir: string,
  payee: Payee,
  payments: number,
  addresses: number,
): Promise<void> {
  const time = { now: START };
  const node = new Node({
    clock: { now: () => 1000 * time.now },
    fixedDifficulty: 1n,
    anyUnlockTime: false,
    rng: seededRng('paid chain'),
    threads: 1,
    dataDir,
  });
  const outputs = outputMaker(payee, addresses);
  const share = {
    address: { spendPublicKey: payee.spendPublicKey, viewPublicKey: publicKeyOf(payee.viewSecret) },
    extraNonce: new Uint8Array(),
  };
  const blocks = payments / PAYMENTS_A_BLOCK;
  for (let made = 0; made < blocks; made += BLOCKS_AT_ONCE) {
    for (const { keys, made: paid } of outputs(Math.min(BLOCKS_AT_ONCE, blocks - made))) {
      time.now += 1;
      const { block } = await node.template(share);
      await node.submitBlock(payingTo(block, keys, paid));
    }
  }
  await node.close();
}

/** The outputs of one block that pay the payee, each with a transaction key of its own. */
export interface BlockOutputs {
  readonly keys: readonly PublicKey[];
  readonly made: readonly Omit<TxOutput, 'amount'>[];
  readonly derivations: readonly KeyDerivation[];
}

/** Splits the reward of a block into ten outputs. */
function payingTo(block: Block, keys: readonly PublicKey[], made: BlockOutputs['made']): Block {
  const { prefix } = block.minerTx;
  const reward = prefix.outputs.reduce((total, output) => total + output.amount, 0n);
  const part = reward / BigInt(made.length);
  const first: Amount = amount(reward - part * BigInt(made.length - 1));
  return {
    ...block,
    minerTx: {
      ...block.minerTx,
      prefix: {
        ...prefix,
        outputs: made.map((output, i) => ({ ...output, amount: i === 0 ? first : amount(part) })),
        extra: writeExtra([
          { type: 'publicKey', key: keys[0] ?? toPublicKey(G) },
          { type: 'additionalKeys', keys },
        ]),
      },
    },
  };
}

/**
 * Makes outputs with the transaction keys G, 2G, 3G and so on, whose secrets need not be random.
 * @param indexOf returns the index of an output in its transaction, by its position in the block.
 */
export function outputMaker(
  payee: Payee,
  addresses: number,
  indexOf: (position: number) => number = (position) => position,
): (blocks: number) => Iterable<BlockOutputs> {
  const kernel = loadKernel();
  const spendKeys = subaddressSpendPublicKeys(payee.spendPublicKey, payee.viewSecret, 0, 0, addresses);
  let last = G.multiply(hashToScalar(payee.spendPublicKey));
  let next = 0;
  return function* (blocks) {
    const count = blocks * PAYMENTS_A_BLOCK;
    const points: Point[] = [];
    for (let i = 0; i < count; i++) points.push((last = last.add(G)));
    const keys = normalizeZ(Point, points).map(toPublicKey);
    const { derivations } = kernel.scan(
      {
        keys: concatBytes(...keys),
        outputKey: Uint32Array.from(keys, (_, i) => i),
        outputIndex: Uint32Array.from(keys, () => 0),
        viewTags: Uint32Array.from(keys, () => NO_VIEW_TAG),
        outputs: concatBytes(...keys),
      },
      { viewSecret: payee.viewSecret },
    );
    for (let block = 0; block < blocks; block++) {
      const [start, end] = [block * PAYMENTS_A_BLOCK, (block + 1) * PAYMENTS_A_BLOCK];
      const shared = chunks(derivations.slice(32 * start, 32 * end), 32).map(
        (bytes) => bytes as KeyDerivation,
      );
      const made = shared.map((derivation, position) => {
        const index = indexOf(position);
        const spendKey = spendKeys[(next + position) % addresses] ?? payee.spendPublicKey;
        const message = concatBytes(derivation, encode(varintNumber, index));
        return {
          publicKey: kernel.addHashes(spendKey, message, message.length) as PublicKey,
          viewTag: viewTag(derivation, index),
        };
      });
      next += PAYMENTS_A_BLOCK;
      yield { keys: keys.slice(start, end), made, derivations: shared };
    }
  };
}

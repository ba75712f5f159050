import {
  derivePublicKey,
  keyDerivation,
  publicKeyOf,
  publicKeysOf,
  randomSecretKey,
} from '../../../src/monero/crypto/derivation.js';
import { randomScalar, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { Commitment, PublicKey } from '../../../src/monero/crypto/types.js';
import type { Daemon, RingCandidate } from '../../../src/daemon/daemon.js';
import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import { commit } from '../../../src/monero/ringct/commitment.js';
import { amount } from '../../../src/util/amount.js';
import type { Rng } from '../../../src/util/random.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { keyImageOf } from '../../../src/monero/wallet/scan/key-images.js';
import { unnamed } from '../../store/fixtures.js';
import { ownedOutput, type Holder } from '../../monero/wallet/fixtures.js';
import { ownKeys, ServiceWallet } from './service-wallet.js';

/** An output that a payer to an address of the holder makes: its keys, key image and commitment are real. */
export function paidOutput(
  owner: Holder,
  value: bigint,
  globalIndex: number,
  rng: Rng,
  facts: Partial<OwnedOutput> = {},
): OwnedOutput {
  const { subaddress = { major: 0, minor: 0 }, outputIndex = 0 } = facts;
  const derivationKey = publicKeyOf(randomSecretKey(rng));
  const derivation = keyDerivation(derivationKey, owner.viewSecret);
  const publicKey = derivePublicKey(derivation, outputIndex, owner.address(subaddress).spendPublicKey);
  const keyImage = keyImageOf({ publicKey, outputIndex, derivationKey, subaddress }, owner);
  return ownedOutput(value, {
    ...{ globalIndex, publicKey, derivationKey, keyImage, outputIndex, subaddress },
    ...{ height: globalIndex, mask: randomScalar(rng) },
    ...facts,
  });
}

/** Fee rates that a daemon of today answers. */
export const FEES = { perByte: [20_000n, 80_000n, 320_000n, 4_000_000n], quantizationMask: 10_000n };

/** Answers of a daemon about rings: a chain with one RingCT output a block, these among them. */
export function ringAnswers(own: readonly OwnedOutput[], height: number): Partial<Daemon> {
  const byIndex = new Map(own.map((output) => [output.globalIndex, output]));
  const candidate = (index: number, stranger: PublicKey): RingCandidate => {
    const output = byIndex.get(index);
    return {
      publicKey: output?.publicKey ?? stranger,
      commitment:
        output === undefined
          ? (stranger as Uint8Array as Commitment)
          : commit(amount(output.amount), output.mask),
      unlocked: true,
    };
  };
  return {
    getFeeEstimate: () => Promise.resolve(FEES),
    getOutputDistribution: () =>
      Promise.resolve({
        startHeight: 0,
        base: 0,
        cumulative: Array.from({ length: height }, (_, i) => i + 1),
      }),
    getOutputs: (indices) => {
      const strangers = publicKeysOf(
        indices.map((index) => scalarBytes(BigInt(index) + 2n)),
        loadCurve(),
      );
      return Promise.resolve(strangers.map((stranger, i) => candidate(indices[i] ?? 0, stranger)));
    },
  };
}

/** Number of blocks that a {@link payingWallet} knows. */
export const CHAIN_HEIGHT = 120;

/** A wallet with real outputs that it can spend, and a daemon that knows them. */
export interface PayingWallet {
  readonly wallet: ServiceWallet;
  readonly outputs: readonly OwnedOutput[];
}

/**
 * Makes a wallet in memory that owns outputs and can spend them.
 * @param values of the outputs, one in each block from the first on.
 * @param options.facts of the output at a place. @param options.viewOnly leaves spend key and key images out.
 */
export function payingWallet(
  owner: Holder,
  values: readonly bigint[],
  { facts, viewOnly = false }: { facts?: (place: number) => Partial<OwnedOutput>; viewOnly?: boolean } = {},
): PayingWallet {
  const wallet = new ServiceWallet(ownKeys(owner, viewOnly));
  const whole = values.map((value, place) =>
    paidOutput(owner, value, place + 1, wallet.rng, facts?.(place) ?? {}),
  );
  const outputs = viewOnly ? whole.map(unnamed) : whole;
  wallet.receive(outputs, CHAIN_HEIGHT);
  wallet.answers = ringAnswers(whole, CHAIN_HEIGHT);
  return { wallet, outputs };
}

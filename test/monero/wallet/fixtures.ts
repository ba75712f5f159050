import { keyImage, publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import { G, multiply } from '../../../src/monero/crypto/curve/point.js';
import { randomScalar, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { Hash, PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { ownAddress } from '../../../src/monero/cryptonote/subaddress-keys.js';
import type { Address, PaymentId, SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import { commit } from '../../../src/monero/ringct/commitment.js';
import { amount, type Amount } from '../../../src/util/amount.js';
import type { Rng } from '../../../src/util/random.js';
import type { SpendableInput } from '../../../src/monero/wallet/build/construction.js';
import type { Candidate } from '../../../src/monero/wallet/select/decoys.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { ProtocolError } from '../../../src/monero/wallet/protocol-error.js';
import type { PlanFault, Payee } from '../../../src/monero/wallet/select/transfer-request.js';
import { SubaddressTable } from '../../../src/monero/wallet/scan/subaddress-table.js';
import { toPublicKey } from '../../support/values/plain-points.js';

export const COIN = 1_000_000_000_000n;

const keyOf = (value: number): PublicKey => new Uint8Array(32).fill(value & 0xff) as PublicKey;

let made = 0;

/** An output with random keys, usable for everything except spending. */
export function ownedOutput(value: bigint, facts: Partial<OwnedOutput> = {}): OwnedOutput {
  const id = ++made;
  const txHash = new Uint8Array(32) as Hash;
  new DataView(txHash.buffer).setUint32(0, id);
  return {
    txHash,
    outputIndex: 0,
    globalIndex: id,
    publicKey: keyOf(id),
    amount: amount(value),
    mask: 1n,
    rct: true,
    subaddress: { major: 0, minor: 0 },
    derivationKey: keyOf(id),
    height: 100 * id,
    unlockTime: 0n,
    coinbase: false,
    change: false,
    burnt: false,
    frozen: false,
    ...facts,
  };
}

/** Keys that can receive and spend. */
export interface Holder {
  readonly viewSecret: SecretKey;
  readonly spendSecret: SecretKey;
  readonly spendPublicKey: PublicKey;
  readonly table: SubaddressTable;
  address(index?: SubaddressIndex, paymentId?: PaymentId): Address;
}

export function holder(rng: Rng): Holder {
  const viewSecret = randomSecretKey(rng);
  const spendSecret = randomSecretKey(rng);
  const spendPublicKey = publicKeyOf(spendSecret);
  let table: SubaddressTable | undefined;
  return {
    viewSecret,
    spendSecret,
    spendPublicKey,
    /** Derived on first use: few tests look up addresses. */
    get table() {
      if (table === undefined) {
        table = new SubaddressTable(spendPublicKey, viewSecret, { major: 3, minor: 4 });
        table.expandTo({ major: 0, minor: 0 });
      }
      return table;
    },
    address(index = { major: 0, minor: 0 }, paymentId) {
      const address = ownAddress({ spendPublicKey, viewSecret }, 'mainnet', index);
      return paymentId === undefined ? address : { ...address, kind: 'integrated', paymentId };
    },
  };
}

export const payeeOf = (address: Address, value: bigint): Payee => ({
  address,
  text: 'as given',
  amount: amount(value),
});

const randomPoint = (rng: Rng): PublicKey => toPublicKey(multiply(G, randomScalar(rng)));

/** A spendable input with its secret key, in a ring of random outputs. */
export function spendableInput(value: Amount, rng: Rng, ringSize = 16): SpendableInput {
  const secretKey = scalarBytes(randomScalar(rng));
  const publicKey = publicKeyOf(secretKey);
  const mask = randomScalar(rng);
  const realIndex = (rng(1)[0] ?? 0) % ringSize;
  const members = Array.from({ length: ringSize }, (_, i): Candidate => ({
    globalIndex: 1000 + 17 * i,
    unlocked: true,
    ...(i === realIndex
      ? { publicKey, commitment: commit(value, mask) }
      : { publicKey: randomPoint(rng), commitment: randomPoint(rng) as unknown as Candidate['commitment'] }),
  }));
  return {
    ring: { members, realIndex },
    secretKey,
    keyImage: keyImage(publicKey, secretKey),
    amount: value,
    mask,
  };
}

/** PlanFault of the ProtocolError that a function throws. */
export function faultOf(run: () => unknown): PlanFault {
  try {
    run();
  } catch (error) {
    if (error instanceof ProtocolError) return error.fault;
    throw error;
  }
  throw new Error('nothing was thrown');
}

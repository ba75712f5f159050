import { readFileSync } from 'node:fs';
import { coinbaseContext, spendContext, type Enote } from '../../../src/monero/carrot/enote.js';
import type { Commitment, KeyImage, PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import type { PaymentId, SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import { amount } from '../../../src/util/amount.js';
import { fromHex } from '../../../src/util/bytes.js';

/** Output of a case. */
export interface VectorEnote {
  readonly type: 'transaction' | 'coinbase';
  readonly height?: number;
  readonly first_key_image?: string;
  readonly ephemeral_pubkey: string;
  readonly output_key: string;
  readonly view_tag: string;
  readonly anchor_enc: string;
  readonly amount?: string;
  readonly commitment?: string;
  readonly amount_enc?: string;
}

/** Result of the scan of an output. */
export interface VectorResult {
  readonly owned: boolean;
  readonly reason?: string;
  readonly index: readonly [number, number];
  readonly amount: string;
  readonly payment_id: string;
  readonly enote_type: 'payment' | 'change';
  readonly scan: 'external' | 'internal';
  readonly path: 'normal' | 'special' | 'internal';
  readonly address_spend_key: string;
  readonly s_sr: string;
  readonly s_sr_ctx: string;
  readonly k_g: string;
  readonly k_t: string;
  readonly mask: string;
  readonly anchor: string;
  readonly x?: string;
  readonly y?: string;
  readonly key_image?: string;
}

/** Account of a case; `s_m`, `s_vb` in those of the fork, `k_s` in legacy ones. */
export interface VectorAccount {
  readonly hierarchy: 'legacy' | 'carrot';
  readonly k_v: string;
  readonly K_s: string;
  readonly k_s?: string;
  readonly s_m?: string;
  readonly s_vb?: string;
}

export interface VectorCase {
  readonly id: string;
  readonly category: string;
  readonly account: VectorAccount;
  readonly lookahead: readonly [number, number];
  readonly enote?: VectorEnote;
  readonly pid_enc?: string | null;
  readonly ledger?: readonly { enote: VectorEnote; pid_enc: string | null; expected: VectorResult }[];
  readonly expected: VectorResult & Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

const file = new URL('../../../../test/vectors/carrot/vectors.json', import.meta.url);
export const cases = (JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly VectorCase[] })
  .cases;

/** Cases of a category. */
export const casesOf = (category: string): readonly VectorCase[] =>
  cases.filter((one) => one.category === category);

export const indexOf = ([major, minor]: readonly [number, number]): SubaddressIndex => ({ major, minor });

/** Public fields of an output as the library has them. */
export const enoteOf = (sent: VectorEnote, pid: string | null): Enote => ({
  context:
    sent.type === 'coinbase'
      ? coinbaseContext(sent.height ?? 0)
      : spendContext(fromHex(sent.first_key_image ?? '') as KeyImage),
  ephemeralKey: fromHex(sent.ephemeral_pubkey),
  outputKey: fromHex(sent.output_key) as PublicKey,
  viewTag: fromHex(sent.view_tag),
  encryptedAnchor: fromHex(sent.anchor_enc),
  amount:
    sent.type === 'coinbase'
      ? { kind: 'plain', amount: amount(BigInt(sent.amount ?? 0)) }
      : {
          kind: 'encrypted',
          bytes: fromHex(sent.amount_enc ?? ''),
          commitment: fromHex(sent.commitment ?? '') as Commitment,
        },
  ...(pid === null ? {} : { encryptedPaymentId: fromHex(pid) as PaymentId }),
});

export const secretKey = (hex: string): SecretKey => fromHex(hex) as SecretKey;
export const publicKey = (hex: string): PublicKey => fromHex(hex) as PublicKey;

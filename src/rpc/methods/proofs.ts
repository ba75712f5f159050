import { atomic, flag, params, text, u32 } from '../../jsonrpc/params.js';
import { toScalar } from '../../crypto/scalar.js';
import type { SecretKey } from '../../crypto/types.js';
import type { PaymentSeen } from '../../services/proofs.js';
import { ZERO } from '../../util/amount.js';
import { chunks, concatBytes, fromHex, isHex, toHex } from '../../util/bytes.js';
import { WalletError } from '../../wallet/fault.js';
import type { SigningKey } from '../../wallet/message-signature.js';
import { defineMethod, type WalletMethod } from '../method.js';
import { readTxHash } from '../shapes.js';

/** @throws WalletError `wrong_signature_type` */
function readSigningKey(name: string): SigningKey {
  if (name === 'spend' || name === '') return 'spend';
  if (name === 'view') return 'view';
  throw new WalletError({ kind: 'wrong_signature_type' });
}

/** One or more scalars. @throws WalletError `wrong_tx_key` */
function readTxKeys(hex: string): SecretKey[] {
  if (hex.length === 0 || hex.length % 64 !== 0 || !isHex(hex))
    throw new WalletError({ kind: 'wrong_tx_key', reason: 'a tx key has 64 hex digits, or a multiple' });
  const keys = chunks(fromHex(hex), 32).map((key) => Uint8Array.from(key) as SecretKey);
  try {
    keys.forEach(toScalar);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new WalletError({ kind: 'wrong_tx_key', reason: 'a tx key is not a scalar' }, { cause });
  }
  return keys;
}

const seenShape = ({ received, inPool, confirmations }: PaymentSeen) => ({
  confirmations,
  in_pool: inPool,
  received,
});

/** Upstream numbers whatever goes wrong in a proof alike. */
const PROOF_CODES = {
  daemon_misbehaves: -1,
  no_tx_key: -1,
  view_only: -1,
  account_out_of_range: -1,
} as const;

export const proofMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'sign',
    summary: 'Signs a text with a key of one of the addresses.',
    meta: { needs: 'wallet', restricted: true, foreground: true },
    params: params({
      data: text.default(''),
      account_index: u32.default(0),
      address_index: u32.default(0),
      signature_type: text.default(''),
    }),
    source: 'COMMAND_RPC_SIGN, on_sign',
    async handle({ wallet }, { data, account_index: major, address_index: minor, signature_type }) {
      return { signature: await wallet.proofs.sign(data, { major, minor }, readSigningKey(signature_type)) };
    },
  }),

  defineMethod({
    name: 'verify',
    summary: 'Tells whether the holder of an address signed a text.',
    meta: { needs: 'wallet', restricted: true },
    params: params({ data: text.default(''), address: text.default(''), signature: text.default('') }),
    source: 'COMMAND_RPC_VERIFY, on_verify',
    async handle({ wallet }, { data, address, signature }) {
      const verdict = await wallet.proofs.verify(data, address, signature);
      return verdict.good
        ? {
            good: true,
            old: verdict.version === 1,
            signature_type: verdict.key,
            version: verdict.version,
          }
        : { good: false, old: false, signature_type: 'spend', version: 0 };
    },
  }),

  defineMethod({
    name: 'get_tx_key',
    summary: 'Gives the secret key of a transaction that this wallet made.',
    meta: { needs: 'wallet', restricted: false, foreground: true },
    params: params({ txid: text.default('') }),
    source: 'COMMAND_RPC_GET_TX_KEY, on_get_tx_key',
    handle({ wallet }, { txid }) {
      return { tx_key: toHex(concatBytes(...wallet.proofs.txKeys(readTxHash(txid)))) };
    },
  }),

  defineMethod({
    name: 'check_tx_key',
    summary: 'Tells what a transaction paid to an address, from its secret key.',
    meta: { needs: 'wallet', restricted: false, codes: PROOF_CODES },
    params: params({ txid: text.default(''), tx_key: text.default(''), address: text.default('') }),
    source: 'COMMAND_RPC_CHECK_TX_KEY, on_check_tx_key',
    async handle({ wallet }, { txid, tx_key, address }) {
      return seenShape(await wallet.proofs.checkTxKey(readTxHash(txid), readTxKeys(tx_key), address));
    },
  }),

  defineMethod({
    name: 'get_tx_proof',
    summary: 'Proves that a transaction paid an address.',
    meta: { needs: 'wallet', restricted: false, foreground: true, codes: PROOF_CODES },
    params: params({ txid: text.default(''), address: text.default(''), message: text.default('') }),
    source: 'COMMAND_RPC_GET_TX_PROOF, on_get_tx_proof',
    async handle({ wallet }, { txid, address, message }) {
      return { signature: await wallet.proofs.proveTx(readTxHash(txid), address, message) };
    },
  }),

  defineMethod({
    name: 'check_tx_proof',
    summary: 'Tells whether a proof of payment holds, and what was paid.',
    meta: { needs: 'wallet', restricted: false, codes: PROOF_CODES },
    params: params({
      txid: text.default(''),
      address: text.default(''),
      message: text.default(''),
      signature: text.default(''),
    }),
    source: 'COMMAND_RPC_CHECK_TX_PROOF, on_check_tx_proof',
    async handle({ wallet }, { txid, address, message, signature }) {
      const { good, ...seen } = await wallet.proofs.checkTxProof(
        readTxHash(txid),
        address,
        message,
        signature,
      );
      return { ...seenShape(seen), good };
    },
  }),

  defineMethod({
    name: 'get_spend_proof',
    summary: 'Proves that this wallet made a transaction.',
    meta: { needs: 'wallet', restricted: false, foreground: true, codes: PROOF_CODES },
    params: params({ txid: text.default(''), message: text.default('') }),
    source: 'COMMAND_RPC_GET_SPEND_PROOF, on_get_spend_proof',
    async handle({ wallet }, { txid, message }) {
      return { signature: await wallet.proofs.proveSpend(readTxHash(txid), message) };
    },
  }),

  defineMethod({
    name: 'check_spend_proof',
    summary: 'Tells whether who proves it made a transaction.',
    meta: { needs: 'wallet', restricted: false, codes: PROOF_CODES },
    params: params({ txid: text.default(''), message: text.default(''), signature: text.default('') }),
    source: 'COMMAND_RPC_CHECK_SPEND_PROOF, on_check_spend_proof',
    async handle({ wallet }, { txid, message, signature }) {
      return { good: await wallet.proofs.checkSpend(readTxHash(txid), message, signature) };
    },
  }),

  defineMethod({
    name: 'get_reserve_proof',
    summary: 'Proves that this wallet holds an amount, or all that it holds.',
    meta: { needs: 'wallet', restricted: false, foreground: true, codes: PROOF_CODES },
    params: params({
      all: flag.default(false),
      account_index: u32.default(0),
      amount: atomic.default(ZERO),
      message: text.default(''),
    }),
    source: 'COMMAND_RPC_GET_RESERVE_PROOF, on_get_reserve_proof',
    async handle({ wallet }, { all, account_index: account, amount, message }) {
      const least = all ? undefined : { account, amount };
      return { signature: await wallet.proofs.proveReserve(least, message) };
    },
  }),

  defineMethod({
    name: 'check_reserve_proof',
    summary: 'Tells whether a proof of holdings holds, for how much, and how much of it was spent since.',
    meta: { needs: 'wallet', restricted: false, codes: PROOF_CODES },
    params: params({ address: text.default(''), message: text.default(''), signature: text.default('') }),
    source: 'COMMAND_RPC_CHECK_RESERVE_PROOF, on_check_reserve_proof',
    async handle({ wallet }, { address, message, signature }) {
      const verdict = await wallet.proofs.checkReserve(address, message, signature);
      return verdict.good
        ? { good: true, spent: verdict.spent, total: verdict.total }
        : { good: false, spent: 0, total: 0 };
    },
  }),
];

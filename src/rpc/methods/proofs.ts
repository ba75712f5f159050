import { params, text, u32 } from '../../jsonrpc/params.js';
import { concatBytes, toHex } from '../../util/bytes.js';
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

export const proofMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'sign',
    summary: 'Signs a text with a key of one of the addresses.',
    meta: { needs: 'wallet', restricted: true },
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
    meta: { needs: 'wallet', restricted: false },
    params: params({ txid: text.default('') }),
    source: 'COMMAND_RPC_GET_TX_KEY, on_get_tx_key',
    handle({ wallet }, { txid }) {
      return { tx_key: toHex(concatBytes(...wallet.proofs.txKeys(readTxHash(txid)))) };
    },
  }),
];

import { viewTagOf } from '../../../src/monero/carrot/derivations.js';
import { enoteIn } from '../../../src/monero/carrot/enote.js';
import {
  nominalAddress,
  openEnote,
  type FoundSecret,
  type OpenedEnote,
} from '../../../src/monero/carrot/opening.js';
import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import type { PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../../src/monero/cryptonote/extra.js';
import type { Transaction } from '../../../src/monero/cryptonote/types.js';
import { equalBytes } from '../../../src/util/bytes.js';

/** Keys of an account, with the spend public keys of its addresses; `balanceSecret` of an account of the fork. */
export interface CarrotHolder {
  readonly viewSecret: SecretKey;
  readonly spendPublicKey: PublicKey;
  readonly addresses: readonly PublicKey[];
  readonly balanceSecret?: Uint8Array;
}

/** Output of an account: its place in the transaction, the number of its address, and its contents. */
export interface FoundEnote extends OpenedEnote {
  readonly outputIndex: number;
  readonly address: number;
}

/** Finds the outputs of an account in a transaction, one by one, as carrot.md § 8 has it. */
export function findEnotes(tx: Transaction, holder: CarrotHolder): FoundEnote[] {
  const { fields } = parseExtra(tx.prefix.extra);
  const [shared] = txPublicKeys(fields);
  return tx.prefix.outputs.flatMap((_, outputIndex) => {
    const ephemeralKey = shared ?? additionalPublicKeys(fields)[outputIndex] ?? new Uint8Array(32);
    const enote = enoteIn(tx, outputIndex, ephemeralKey);
    if (enote === undefined) return [];
    const secrets: FoundSecret[] = [
      { secret: loadCurve().x25519(ephemeralKey, holder.viewSecret), internal: false },
      ...(holder.balanceSecret === undefined ? [] : [{ secret: holder.balanceSecret, internal: true }]),
    ];
    return secrets.flatMap((found) => {
      if (!equalBytes(viewTagOf(found.secret, enote), enote.viewTag)) return [];
      const nominal = nominalAddress(enote, found, holder);
      const address = holder.addresses.findIndex((key) => nominal && equalBytes(nominal.spendKey, key));
      if (nominal === undefined || address === -1) return [];
      const opened = openEnote(enote, nominal, holder);
      return opened === undefined ? [] : [{ ...opened, outputIndex, address }];
    });
  });
}

import { keccak } from '../crypto/keccak.js';
import type { KeyDerivation } from '../crypto/types.js';
import type { PaymentId } from './types.js';

const TAIL = Uint8Array.of(0x8d);

/**
 * Encrypts or decrypts a payment id: XOR with the first bytes of `keccak(D || 0x8d)`; payer and payee share D. Source:
 * device_default.cpp `encrypt_payment_id`.
 */
export function cryptPaymentId(id: PaymentId, derivation: KeyDerivation): PaymentId {
  const mask = keccak(derivation, TAIL);
  return id.map((byte, i) => byte ^ (mask[i] ?? 0)) as PaymentId;
}

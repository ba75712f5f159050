/* Secret keys of own outputs: x = Hs(D || i) + b, plus Hs("SubAddr\0" || a || major || minor) for a subaddress. */
import { derivationToScalar, wipeMessage } from './derivation';
import { MESSAGES, SCALARS } from './rows';
import { addScalars, hashToScalar } from './scalar';

/** View secret a and spend secret b. */
export const WALLET_KEYS = memory.data(64, 16);

/** A row of MESSAGES: derivation D of 32 bytes, output index i, major and minor index of the address, 4 bytes each. */
const ROW: usize = 44;

/** "SubAddr\0", then a, major and minor. */
const SUBADDRESS = memory.data(48, 16);
const TERM = memory.data(32, 16);

/** SCALARS = secret keys of the own outputs in MESSAGES, in constant time for the secrets. Indices are public. */
export function sumOutputSecrets(count: i32): void {
  store<u64>(SUBADDRESS, 0x0072646441627553);
  memory.copy(SUBADDRESS + 8, WALLET_KEYS, 32);
  for (let row: usize = 0; row < usize(count); row++) {
    const output = MESSAGES + row * ROW;
    const secret = SCALARS + (row << 5);
    derivationToScalar(secret, output, load<u32>(output, 32));
    addScalars(secret, WALLET_KEYS + 32);
    const address = load<u64>(output, 36);
    if (address == 0) continue;
    store<u64>(SUBADDRESS + 40, address);
    hashToScalar(TERM, SUBADDRESS, 48);
    addScalars(secret, TERM);
  }
}

export function wipeOwnOutputs(): void {
  memory.fill(WALLET_KEYS, 0, 64);
  memory.fill(SUBADDRESS, 0, 48);
  memory.fill(TERM, 0, 32);
  wipeMessage();
}

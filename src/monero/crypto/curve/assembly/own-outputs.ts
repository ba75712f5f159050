/* Secret keys of own outputs: x = Hs(D || i) + b, plus Hs("SubAddr\0" || a || major || minor) for a subaddress. */
import { setDerivation, wipeMessage } from './derivation';
import { setMessage } from './keccak-pair';
import { MESSAGES, SCALARS } from './rows';
import { addScalars, hashToScalars } from './scalar';

/** View secret key a and spend secret key b, 32 bytes each. */
export const WALLET_KEYS = memory.data(64, 16);

/**
 * Size of a row of MESSAGES [bytes]: derivation D of 32 bytes; output index i, major and minor index of the address, 4
 * bytes each.
 */
const ROW: usize = 44;

/** Text "SubAddr\0", then a, major and minor index. */
const SUBADDRESS = memory.data(48, 16);
const TERMS = memory.data(64, 16);

/**
 * Computes SCALARS = secret keys of the own outputs in MESSAGES; in constant time for the secrets, while indices are
 * public.
 */
export function sumOutputSecrets(count: i32): void {
  store<u64>(SUBADDRESS, 0x0072646441627553);
  memory.copy(SUBADDRESS + 8, WALLET_KEYS, 32);
  for (let row: usize = 0; row < usize(count); row += 2) {
    const first = MESSAGES + row * ROW, second = first + ROW;
    const secret = SCALARS + (row << 5);
    setDerivation(0, first, load<u32>(first, 32));
    setDerivation(1, second, load<u32>(second, 32));
    hashToScalars(secret, secret + 32);
    addScalars(secret, WALLET_KEYS + 32);
    addScalars(secret + 32, WALLET_KEYS + 32);
    const address = load<u64>(first, 36), other = load<u64>(second, 36);
    if (address == 0 && other == 0) continue;
    setSubaddress(0, address);
    setSubaddress(1, other);
    hashToScalars(TERMS, TERMS + 32);
    if (address != 0) addScalars(secret, TERMS);
    if (other != 0) addScalars(secret + 32, TERMS + 32);
  }
}

/** Sets the message for the secret of a subaddress in a lane. @param address address of the major and minor index. */
function setSubaddress(lane: usize, address: u64): void {
  store<u64>(SUBADDRESS + 40, address);
  setMessage(lane, SUBADDRESS, 48);
}

export function wipeOwnOutputs(): void {
  memory.fill(WALLET_KEYS, 0, 64);
  memory.fill(SUBADDRESS, 0, 48);
  memory.fill(TERMS, 0, 64);
  wipeMessage();
}

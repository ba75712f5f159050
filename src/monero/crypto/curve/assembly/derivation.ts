/* Messages of a derivation and an output index, as they are hashed to view tags and scalars. */
import { setMessage } from './keccak-pair';

/** Text "view_tag" (8 bytes), then a derivation and an output index. */
const MESSAGE = memory.data(48, 16);
const DERIVED: usize = MESSAGE + 8;

/**
 * Writes a derivation and an output index into MESSAGE after its first 8 bytes.
 * @returns the length of both [bytes].
 */
function writeDerivation(derivation: usize, outputIndex: u32): i32 {
  for (let i: usize = 0; i < 32; i += 8) store<u64>(DERIVED + i, load<u64>(derivation + i));
  let index = outputIndex;
  let length = 32;
  for (; index > 0x7f; index >>= 7) store<u8>(DERIVED + usize(length++), u8(index | 0x80));
  store<u8>(DERIVED + usize(length++), u8(index));
  return length;
}

/** Sets D || i as the message of a lane; its hash becomes a scalar. Source: crypto.cpp `derivation_to_scalar`. */
export function setDerivation(lane: usize, derivation: usize, outputIndex: u32): void {
  setMessage(lane, DERIVED, writeDerivation(derivation, outputIndex));
}

/**
 * Sets "view_tag" || D || i as the message of a lane; the first byte of its hash is the view tag. Source: crypto.cpp
 * `derive_view_tag`.
 */
export function setViewTag(lane: usize, derivation: usize, outputIndex: u32): void {
  store<u64>(MESSAGE, 0x6761745f77656976);
  setMessage(lane, MESSAGE, 8 + writeDerivation(derivation, outputIndex));
}

export function wipeMessage(): void {
  memory.fill(MESSAGE, 0, 48);
}

/* Messages of a derivation and an output index, as they are hashed to view tags and scalars. */
import { hashToScalar } from './scalar';

/** "view_tag", then a derivation and an output index. */
export const MESSAGE = memory.data(48, 16);
const DERIVED: usize = MESSAGE + 8;

/** Writes a derivation and an output index into MESSAGE, behind its first 8 bytes. @returns their length in bytes. */
export function writeDerivation(derivation: usize, outputIndex: u32): i32 {
  for (let i: usize = 0; i < 32; i += 8) store<u64>(DERIVED + i, load<u64>(derivation + i));
  let index = outputIndex;
  let length = 32;
  for (; index > 0x7f; index >>= 7) store<u8>(DERIVED + usize(length++), u8(index | 0x80));
  store<u8>(DERIVED + usize(length++), u8(index));
  return length;
}

/** out = Hs(D || i). Source: crypto.cpp `derivation_to_scalar`. */
export function derivationToScalar(out: usize, derivation: usize, outputIndex: u32): void {
  hashToScalar(out, DERIVED, writeDerivation(derivation, outputIndex));
}

export function wipeMessage(): void {
  memory.fill(MESSAGE, 0, 48);
}

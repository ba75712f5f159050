/** A module with a function that returns `i8x16.popcnt(i8x16.splat(0))`. */
const SIMD_MODULE = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 0x41, 0, 0xfd, 15, 0xfd, 98, 11],
);

function compiles(binary: Uint8Array<ArrayBuffer>): boolean {
  try {
    new WebAssembly.Module(binary);
    return true;
  } catch {
    return false;
  }
}

/** Whether the engine runs SIMD instructions on this processor: every build of the kernel needs them. */
export const HAS_SIMD = compiles(SIMD_MODULE);

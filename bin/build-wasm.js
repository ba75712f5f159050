// Compiles AssemblyScript to WebAssembly modules in build/: Keccak and the block parser; CryptoNight and the kernel
// once for each set of processor instructions, among which src/monero/crypto/slow-hash.ts and
// src/monero/crypto/curve/build-choice.ts choose. `bin/build-wasm.js tests` also compiles the functions of the kernel's
// field for its tests. One process compiles all modules, since starting the compiler takes longest.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const simd = ['--enable', 'simd'];
const relaxed = [...simd, '--enable', 'relaxed-simd'];
/** Source, target and flags of each module. @type {[string, string, string[]][]} */
const modules = [
  ['src/monero/crypto/curve/assembly/kernel.ts', 'src/monero/crypto/curve/kernel-relaxed.wasm', relaxed],
  ['src/monero/crypto/curve/assembly/kernel.ts', 'src/monero/crypto/curve/kernel-simd.wasm', simd],
  ['src/monero/crypto/assembly/slow-hash.ts', 'src/monero/crypto/slow-hash-simd.wasm', simd],
  ['src/monero/crypto/assembly/slow-hash.ts', 'src/monero/crypto/slow-hash-plain.wasm', []],
  ['src/monero/crypto/assembly/hash.ts', 'src/monero/crypto/keccak.wasm', []],
  ['src/daemon/assembly/block-parser.ts', 'src/daemon/block-parser.wasm', []],
];
if (process.argv[2] === 'tests')
  modules.push(
    ['src/monero/crypto/curve/assembly/field-test.ts', 'test/monero/crypto/curve/field-simd.wasm', simd],
    ['src/monero/crypto/curve/assembly/field-test.ts', 'test/monero/crypto/curve/field-relaxed.wasm', relaxed],
  );

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const flags = ['--runtime', 'stub', '-O3', '--noAssert', '--disableWarning', '112'];
for (const [source, name, features] of modules) {
  const target = `build/${name}`;
  mkdirSync(dirname(target), { recursive: true });
  const { error, stderr } = await asc.main([source, '--outFile', target, ...flags, ...features]);
  process.stderr.write(stderr.toString());
  if (error !== null) process.exit(1);
}

// Compiles AssemblyScript to WebAssembly, as modules in build/ that return it as base64, so that they load wherever
// JavaScript does (an engine makes the text of a function when that is called first): Keccak and the block parser; CryptoNight and the kernel once for each set of processor instructions,
// among which src/monero/crypto/slow-hash.ts and src/monero/crypto/curve/build-choice.ts choose. `bin/build-wasm.js tests`
// also compiles the functions of the kernel's field for its tests. One process compiles all modules, since starting the
// compiler takes longest.
import { Buffer } from 'node:buffer';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const simd = ['--enable', 'simd'];
const relaxed = [...simd, '--enable', 'relaxed-simd'];
/** Source, target and flags of each module. @type {[string, string, string[]][]} */
const modules = [
  ['src/monero/crypto/curve/assembly/kernel.ts', 'src/monero/crypto/curve/kernel-relaxed.wasm.js', relaxed],
  ['src/monero/crypto/curve/assembly/kernel.ts', 'src/monero/crypto/curve/kernel-simd.wasm.js', simd],
  ['src/monero/crypto/assembly/slow-hash.ts', 'src/monero/crypto/slow-hash-simd.wasm.js', simd],
  ['src/monero/crypto/assembly/slow-hash.ts', 'src/monero/crypto/slow-hash-plain.wasm.js', []],
  ['src/monero/crypto/assembly/hash.ts', 'src/monero/crypto/keccak.wasm.js', []],
  ['src/monero/wallet/scan/assembly/block-page.ts', 'src/monero/wallet/scan/block-page.wasm.js', []],
];
if (process.argv[2] === 'tests')
  modules.push(
    ['src/monero/crypto/curve/assembly/field-test.ts', 'test/monero/crypto/curve/field-simd.wasm.js', simd],
    ['src/monero/crypto/curve/assembly/field-test.ts', 'test/monero/crypto/curve/field-relaxed.wasm.js', relaxed],
  );

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const flags = ['--runtime', 'stub', '-O3', '--noAssert', '--disableWarning', '112'];
for (const [source, name, features] of modules) {
  const target = `build/${name}`;
  mkdirSync(dirname(target), { recursive: true });
  const writeFile = (_, binary) => {
    const base64 = Buffer.from(binary).toString('base64');
    writeFileSync(target, `// Compiled from ${source}.\nexport const wasm = () => '${base64}';\n`);
  };
  const { error, stderr } = await asc.main([source, '--outFile', target, ...flags, ...features], { writeFile });
  process.stderr.write(stderr.toString());
  if (error !== null) process.exit(1);
}

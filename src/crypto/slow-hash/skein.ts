const MASK = (1n << 64n) - 1n;
const ROTATIONS = [
  [46n, 36n, 19n, 37n],
  [33n, 27n, 14n, 42n],
  [17n, 49n, 36n, 39n],
  [44n, 9n, 54n, 56n],
  [39n, 30n, 34n, 24n],
  [13n, 50n, 10n, 17n],
  [25n, 29n, 39n, 43n],
  [8n, 35n, 56n, 22n],
];
const PERMUTATION = [2, 1, 4, 7, 6, 5, 0, 3];
const KEY_PARITY = 0x1bd11bdaa9fc1a22n;
const TYPE = { config: 4n, message: 48n, output: 63n };
/** "SHA3", version 1. */
const SCHEMA = 0x0000000133414853n;

/** Threefish-512. */
function encipher(key: readonly bigint[], tweak: readonly [bigint, bigint], block: readonly bigint[]): bigint[] {
  const k = [...key, key.reduce((parity, word) => parity ^ word, KEY_PARITY)];
  const t = [...tweak, tweak[0] ^ tweak[1]];
  let v = [...block];
  for (let d = 0; d <= 72; d++) {
    if (d % 4 === 0) {
      const s = d / 4;
      v = v.map((word, i) => {
        let sum = word + (k[(s + i) % 9] ?? 0n);
        if (i === 5) sum += t[s % 3] ?? 0n;
        if (i === 6) sum += t[(s + 1) % 3] ?? 0n;
        if (i === 7) sum += BigInt(s);
        return sum & MASK;
      });
    }
    if (d === 72) break;
    const mixed: bigint[] = [];
    for (let j = 0; j < 4; j++) {
      const y = v[2 * j + 1] ?? 0n;
      const sum = ((v[2 * j] ?? 0n) + y) & MASK;
      const r = ROTATIONS[d % 8]?.[j] ?? 0n;
      mixed.push(sum, (((y << r) | (y >> (64n - r))) & MASK) ^ sum);
    }
    v = PERMUTATION.map((from) => mixed[from] ?? 0n);
  }
  return v;
}

/** Unique Block Iteration: chains blocks of 64 bytes under their type and position. */
function chainBlocks(start: readonly bigint[], data: Uint8Array, type: bigint): bigint[] {
  let chain = [...start];
  const count = Math.max(1, Math.ceil(data.length / 64));
  for (let i = 0; i < count; i++) {
    const padded = new Uint8Array(64);
    padded.set(data.subarray(64 * i, 64 * (i + 1)));
    const view = new DataView(padded.buffer);
    const block = Array.from({ length: 8 }, (_, j) => view.getBigUint64(8 * j, true));
    const last = i === count - 1;
    const position = BigInt(last ? data.length : 64 * (i + 1));
    const flags = (type << 56n) | (i === 0 ? 1n << 62n : 0n) | (last ? 1n << 63n : 0n);
    chain = encipher(chain, [position, flags], block).map((word, j) => word ^ (block[j] ?? 0n));
  }
  return chain;
}

/** Skein-512 with 256 bits of output. */
export function skein256(data: Uint8Array): Uint8Array {
  const config = new Uint8Array(32);
  const view = new DataView(config.buffer);
  view.setBigUint64(0, SCHEMA, true);
  view.setBigUint64(8, 256n, true);
  let chain = chainBlocks(Array.from({ length: 8 }, () => 0n), config, TYPE.config);
  chain = chainBlocks(chain, data, TYPE.message);
  chain = chainBlocks(chain, new Uint8Array(8), TYPE.output);
  const out = new Uint8Array(32);
  const words = new DataView(out.buffer);
  for (let i = 0; i < 4; i++) words.setBigUint64(8 * i, chain[i] ?? 0n, true);
  return out;
}

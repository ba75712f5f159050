import {
  appendFileSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { collected } from '../values/collected.js';

// Writes to a replicated store until it is killed. Its sink keeps frames and bases in files of a directory. Prints the
// number of each write that the sink has acknowledged.
const [path = '', directory = '', sequence = '', baseBytes = '', frameBytes = ''] = process.argv.slice(2);

/** Writes a file that appears only when it is complete. */
function store(name: string, parts: readonly Uint8Array[]): void {
  const draft = join(directory, `draft-${name}`);
  const file = openSync(draft, 'w');
  for (const part of parts) writeSync(file, part);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, join(directory, name));
}

const wallet = WalletStore.open(path, new Uint8Array(32).fill(7), undefined, undefined, {
  isReplicated: true,
});
const replication = wallet.replicate(
  {
    append: async (number, frame) => {
      await new Promise((resolve) => setImmediate(resolve));
      store(`frame-${number}`, [frame]);
    },
    putBase: async (number, source) => {
      store(`base-${number}`, await collected(source));
    },
  },
  {
    ...{
      sequence: Number(sequence),
      baseBytes: Number(baseBytes),
      frameBytes: Number(frameBytes),
      delayMs: 3,
    },
    onError: (error) => appendFileSync(join(directory, 'errors'), `${String(error)}\n`),
  },
);
writeFileSync(join(directory, 'started'), '');

let height = wallet.read((r) => r.chain.tip()) === undefined ? 0 : wallet.height();
const first = Number(wallet.read((r) => r.attributes.get('n')) ?? '0');
for (let n = first + 1; ; n++) {
  wallet.write((w) => {
    w.attributes.set('n', String(n));
    w.attributes.set(`text${n % 7}`, String(n % 10).repeat((n % 11) ** 5));
  });
  for (let i = 0; i < n % 5; i++, height++) {
    const id = 1000 + height;
    wallet.addPage(
      page(height, 1, {
        received: [received(id, height)],
        outputs: [
          { ...output(id, height, 5n), publicKey: bytes(500_000 + id), keyImage: bytes(900_000 + id) },
        ],
      }),
      { isFollowed: i % 2 === 0 },
    );
  }
  if (n % 4 === 0) void wallet.checkpoint();
  if (n % 3 === 0) await wallet.flushToDisk();
  else await replication.replicated();
  process.stdout.write(`${n}\n`);
}

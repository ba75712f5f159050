import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';

/* The files of the npm package; `npm-package.nightly.test.ts` installs and uses it. */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

let files: string[];

beforeAll(async () => {
  // The scripts would compile the tree from which this test runs.
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: ROOT });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  files = packed?.files.map(({ path }) => path) ?? [];
});

describe('the npm package', () => {
  it('contains compiled code, WebAssembly, migrations, word lists and licence, and neither sources nor tests', () => {
    for (const file of [
      ...['LICENSE', 'README.md', 'CHANGELOG.md', 'bin/wallet-rpc', 'build/server/main.js'],
      ...['build/server/kernel-simd.wasm.js', 'build/server/kernel-relaxed.wasm.js'],
      ...['build/server/slow-hash-simd.wasm.js', 'build/server/slow-hash-plain.wasm.js'],
      ...['packaging/systemd/wallet-rpc.service', 'packaging/prometheus/alerts.yml', 'SECURITY.md'],
      ...['packaging/grafana/wallet-rpc.json', 'build/share/man/man1/wallet-rpc.1'],
      'packaging/medusa/src/provider.ts',
      ...['build/share/bash-completion/completions/wallet-rpc', 'build/share/zsh/site-functions/_wallet-rpc'],
      ...['build/share/fish/vendor_completions.d/wallet-rpc.fish'],
      ...['build/schema.sql', 'wordlists/english.txt', 'docs/api.md'],
      ...['build/src/client/client.js', 'build/src/client/client.d.ts', 'build/src/client/methods.d.ts'],
      ...['build/src/monero/index.js', 'build/src/monero/index.d.ts'],
      ...['build/src/monero/crypto/slow-hash-thread.js', 'build/src/monero/cryptonote/word-lists.js'],
      ...['build/src/monero/crypto/keccak.wasm.js', 'build/src/monero/crypto/curve/kernel-simd.wasm.js'],
      ...readdirSync(join(ROOT, 'pages'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name))),
      ...readdirSync(join(ROOT, 'migrations'))
        .filter((name) => name.endsWith('.sql'))
        .map((name) => `migrations/${name}`),
    ])
      expect(files).toContain(file);
    expect(
      files.filter((file) =>
        /^(?:src|test|bench|tools|packaging\/medusa\/test|build\/(?!schema\.sql$|server\/|share\/|src\/(?:client|monero|util)\/))|\.map$|\.tgz$/.test(
          file,
        ),
      ),
    ).toEqual([]);
    // Declarations are those of the client, of the protocol library and of the files that they import, and of the script that
    // a page of a shop loads.
    expect(
      files.filter(
        (file) =>
          /\.d\.ts$/.test(file) && !/^(?:build\/src\/(?:client|monero|util)\/|pages\/embed\.)/.test(file),
      ),
    ).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it, test } from '@jest/globals';
import * as library from '../../src/monero/index.js';

/* The examples in the comments of the protocol library, which readers of an editor or of the source find at each name. */

const ROOT = new URL('../../../', import.meta.url);
const INDEX = new URL('src/monero/index.ts', ROOT);

/** Exported names with the files that define them. */
const exported = [
  ...readFileSync(INDEX, 'utf8').matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g),
].flatMap(([, names = '', file = '']) =>
  [...names.matchAll(/(?:type )?(\w+)/g)].map(([, name = '']) => [name, file] as const),
);

/** Returns the example in the comment of a name, without the asterisks; undefined if there is none. */
function exampleOf(name: string, file: string): string | undefined {
  const source = readFileSync(new URL(file.replace(/\.js$/, '.ts'), INDEX), 'utf8');
  const declared = new RegExp(
    `\\*/\\nexport (?:async )?(?:const|function|class|interface|type) ${name}\\b`,
  ).exec(source);
  if (declared === null) return undefined;
  const comment = source.slice(source.lastIndexOf('/**', declared.index), declared.index);
  const [, example] = /@example\n(.*)$/s.exec(comment) ?? [];
  return example?.replaceAll(/^ \* ?/gm, '').trim();
}

const given = JSON.parse(readFileSync(new URL('docs/examples/paid-block.json', ROOT), 'utf8')) as {
  readonly mnemonic: string;
  readonly primaryAddress: string;
  readonly block: string;
  readonly transactions: readonly string[];
  readonly proof: { readonly address: string; readonly text: string };
};

/** Names that the examples use, as docs/protocol-library.md says. */
function prelude(): Record<string, unknown> {
  const { fromHex } = library;
  const words = given.mnemonic;
  const account = library.accountKeysOf(library.spendSecretFromSeed(library.decodeMnemonic(words).seed));
  const encoded = fromHex(given.block);
  const block = library.parseBlock(encoded);
  const txs = block.txHashes.map((hash, i) => ({ hash, blob: fromHex(given.transactions[i] ?? '') }));
  const limits = { major: 1, minor: 20 };
  const addresses = new library.SubaddressTable(account.spendPublicKey, account.viewSecret, limits);
  addresses.expandTo({ major: 0, minor: 0 });
  const found = library.scanBlock(block, txs, account, addresses);
  return {
    ...{ words, account, encoded, block, txs, addresses },
    ...{ primary: given.primaryAddress, address: given.proof.address, proof: given.proof.text },
    tx: library.parseTransaction(txs[1]?.blob ?? encoded),
    found,
    // Of a reserve proof: the output of the second transaction.
    outputs: found
      .slice(1)
      .flatMap(({ hash: txHash, outputs }) => outputs.map((one) => ({ ...one, txHash }))),
  };
}

/** A line with an expression and its value. */
const CHECKED = /^(\s*)(.+); \/\/ => (.+)$/gm;

/** Runs an example. @returns pairs of the values that its lines have and should have. */
async function run(example: string): Promise<(readonly [unknown, unknown])[]> {
  const pairs: (readonly [unknown, unknown])[] = [];
  const scope = { ...library, ...prelude(), check: (...pair: [unknown, unknown]) => pairs.push(pair) };
  const code = stripTypeScriptTypes(example.replaceAll(CHECKED, '$1check(($2), ($3));'));
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const compiled = new Function('scope', `with (scope) return (async () => { ${code}\n })()`) as (
    names: object,
  ) => Promise<void>;
  await compiled(scope);
  return pairs;
}

describe('the examples of the protocol library', () => {
  it('are looked for', () => {
    expect(exported.length).toBeGreaterThan(130);
    expect(exampleOf('systemRng', '../util/random.js')).toBe('systemRng(16).length; // => 16');
  });

  it('fail with a wrong value', async () => {
    expect(await run('formatCoins(amount(1n)); // => 1')).toEqual([['0.000000000001', 1]]);
  });

  test.each(exported)('show %s, and their values are true', async (name, file) => {
    const example = exampleOf(name, file);
    if (example === undefined) throw new Error('the comment has no @example');
    expect(example).toContain(name);
    const pairs = await run(example);
    expect(pairs.length).toBeGreaterThan(0);
    for (const [value, expected] of pairs) expect(value).toEqual(expected);
  });
});

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeOutputFile, type Content } from '../../../src/cli/commands/export-command.js';
import { utf8 } from '../../../src/util/bytes.js';

let directory: string;
let wallets: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'output-'));
  wallets = join(directory, 'wallets');
  mkdirSync(wallets);
  path = join(directory, 'out.csv');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function* content(parts: readonly string[], onPart: (part: string) => void = () => undefined): Content {
  for (const part of parts) {
    onPart(part);
    yield await Promise.resolve([utf8(part), utf8('\n')]);
  }
}

const files = (): string[] => readdirSync(directory).filter((name) => name !== 'wallets');

describe('a file of output', () => {
  it('gets its name when it is complete', async () => {
    const seen: boolean[] = [];
    await writeOutputFile(
      path,
      wallets,
      content(['a', 'b'], () => seen.push(files().includes('out.csv'))),
    );
    expect(seen).toEqual([false, false]);
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n');
    expect(files()).toEqual(['out.csv']);
  });

  it('stays as it was, without a draft beside it, if the content ends with an error', async () => {
    writeFileSync(path, 'old');
    const failing = content(['a', 'b'], (part) => {
      if (part === 'b') throw new Error('gone');
    });
    await expect(writeOutputFile(path, wallets, failing)).rejects.toThrow('gone');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(files()).toEqual(['out.csv']);
  });

  it('is complete if two commands write it at the same time', async () => {
    const [first, second] = ['1', '2'].map((digit) => Array.from({ length: 50 }, () => digit.repeat(1000)));
    await Promise.all([first, second].map((parts = []) => writeOutputFile(path, wallets, content(parts))));
    expect([first, second].map((parts = []) => `${parts.join('\n')}\n`)).toContain(
      readFileSync(path, 'utf8'),
    );
    expect(files()).toEqual(['out.csv']);
  });

  it('is the target of a symbolic link, which stays', async () => {
    const target = join(directory, 'target.csv');
    writeFileSync(target, 'old');
    symlinkSync(target, path);
    await writeOutputFile(path, wallets, content(['new']));
    expect(readFileSync(target, 'utf8')).toBe('new\n');
  });

  it('does not replace a file of a wallet, also through a link', async () => {
    const store = join(wallets, 'w');
    writeFileSync(store, 'store');
    symlinkSync(store, path);
    for (const output of [store, path, join(wallets, 'new.csv')])
      await expect(writeOutputFile(output, wallets, content(['x']))).rejects.toThrow(
        'must not lie in the directory of the wallets',
      );
    expect(readFileSync(store, 'utf8')).toBe('store');
  });

  it('replaces no directory or device, and needs a directory', async () => {
    await expect(writeOutputFile(directory, wallets, content(['x']))).rejects.toThrow(
      'is not a regular file',
    );
    await expect(writeOutputFile('/dev/null', wallets, content(['x']))).rejects.toThrow(
      'is not a regular file',
    );
    await expect(
      writeOutputFile(join(directory, 'none', 'x'), wallets, content(['x'])),
    ).rejects.toMatchObject({
      fault: { kind: 'wallet_io' },
    });
  });
});

import { describe, expect, it, test, afterEach, beforeEach } from '@jest/globals';
import fc from 'fast-check';
import { printable, printableLines, LineFile } from '../../src/util/line-file.js';
import { execFile, execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  openSync,
  readSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  mkdirSync,
  existsSync,
  writeFileSync,
  chmodSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { randomRuns } from '../support/fakes/random-runs.js';

describe('a hidden character', () => {
  test.each([
    ['a line end', '\n', '\\u000a'],
    ['the beginning of a terminal sequence', '\u001b', '\\u001b'],
    ['one of the second block of controls', '\u009b', '\\u009b'],
    ['a delete character', '\u007f', '\\u007f'],
    ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'].map(
      (char) => ['a change of direction', char, `\\u${char.charCodeAt(0).toString(16)}`] as const,
    ),
    ['a mark of direction', '\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
    ['a separator', '\u2028\u2029', '\\u2028\\u2029'],
    [
      'a character without width',
      '\u200b\ufeff\u00ad\u2060\u115f\u3164',
      '\\u200b\\ufeff\\u00ad\\u2060\\u115f\\u3164',
    ],
    ['a tag', '\u{e0041}', '\\udb40\\udc41'],
    ['half a surrogate pair', '\ud800', '\\ud800'],
  ])('is escaped: %s', (_, text, expected) => {
    expect(printable(`a${text}b`)).toBe(`a${expected}b`);
  });

  it('leaves the meaning of JSON unchanged, and nothing hidden in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
        const line = printable(JSON.stringify(value));
        expect(JSON.parse(line)).toEqual(value);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
      { numRuns: randomRuns(100) },
    );
  });
});

test('texts that people read stay as they are, and so do the ends of lines', () => {
  expect(printableLines('Zoë: 注文 \u{1f600}\nשלום\n')).toBe('Zoë: 注文 \u{1f600}\nשלום\n');
});

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lines-'));
  path = join(folder, 'a.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = (file = path): string => readFileSync(file, 'utf8');

/** Error of a pipe whose reader is behind. */
const full = (): Error => Object.assign(new Error('full'), { code: 'EAGAIN' });

describe('a file of lines', () => {
  it('is refused at once as a pipe that nobody reads', () => {
    execFileSync('mkfifo', [path]);
    expect(() => new LineFile(path)).toThrow(/ENXIO/);
  });

  it('may be a pipe that is read', () => {
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    new LineFile(path).append('a line\n');
    const read = Buffer.alloc(100);
    expect(read.toString('utf8', 0, readSync(reader, read))).toBe('a line\n');
    closeSync(reader);
  });

  it('is appended to, and keeps its rights unless it is private', () => {
    writeFileSync(path, 'old\n');
    chmodSync(path, 0o644);
    new LineFile(path).append('new\n');
    expect([text(), statSync(path).mode & 0o777]).toEqual(['old\nnew\n', 0o644]);
    new LineFile(path, { isPrivate: true }).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is another one after it was renamed and reopened, and the same where that fails', () => {
    const file = new LineFile(path);
    file.append('1\n');
    renameSync(path, `${path}.1`);
    mkdirSync(path);
    expect(() => file.reopen()).toThrow('EISDIR');
    file.append('2\n');
    rmSync(path, { recursive: true });
    file.reopen();
    file.append('3\n');
    expect([text(`${path}.1`), text()]).toEqual(['1\n2\n', '3\n']);
  });

  it('waits for the reader of a full pipe, but not again while the reader does not read', () => {
    let tries = 0;
    let isFull = true;
    const problems: unknown[] = [];
    const written: string[] = [];
    const file = new LineFile(path, {
      onProblem: (error) => problems.push(error),
      write: (_, bytes) => {
        tries += 1;
        if (isFull && tries !== 3) throw full();
        written.push(bytes.toString());
        return bytes.length;
      },
    });
    file.append('a\n');
    expect([tries, written, problems]).toEqual([3, ['a\n'], []]);
    file.append('b\n');
    const patience = tries;
    expect(problems).toHaveLength(1);
    file.append('c\n');
    expect(tries).toBe(patience + 1);
    expect(file.isWritable()).toBe(false);
    isFull = false;
    expect(file.isWritable()).toBe(true);
    expect(written).toEqual(['a\n', 'b\n', 'c\n']);
    expect(problems).toHaveLength(1);
  });
});

describe('a file of lines at standard output', () => {
  const MODULE = new URL('../../src/util/line-file.js', import.meta.url).href;

  it.each(['/dev/stdout', '/proc/self/fd/1', '/dev/stderr', '/proc/self/fd/2', '/dev/fd/2'])(
    'does not overwrite other lines, nor is it overwritten by them: %s',
    async (name) => {
      const script = `const { LineFile } = await import(${JSON.stringify(MODULE)});
        const lines = new LineFile(process.argv[1]);
        const other = /1|out/.test(process.argv[1]) ? process.stdout : process.stderr;
        for (let i = 0; i < 50; i++) { other.write('other ' + i + '\\n'); lines.append('line ' + i + '\\n'); }
        lines.reopen();
        lines.append('end\\n');
        lines.close();
        other.write('open\\n');`;
      const stream = /1|out/.test(name) ? '1' : '2';
      await promisify(execFile)('bash', [
        '-c',
        `exec "$0" --input-type=module -e "$1" ${name} ${stream}> ${path}`,
        process.execPath,
        script,
      ]);
      const expected = Array.from({ length: 50 }, (_, i) => `other ${i}\nline ${i}\n`).join('');
      expect(text()).toBe(`${expected}end\nopen\n`);
    },
  );

  it('has a descriptor of its own for another file', () => {
    const file = new LineFile(path);
    file.append('1\n');
    expect(existsSync(path)).toBe(true);
    file.close();
    file.append('2\n');
    expect(text()).toBe('1\n2\n');
  });
});

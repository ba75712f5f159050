import { spawnSync } from 'node:child_process';
import { platform } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { programRanges } from '../../src/util/program-pages.js';

const MODULE = new URL('../../src/util/program-pages.js', import.meta.url).href;

/** Prints the resident pages of files [MiB] before and after, and a digest that is computed afterwards. */
const SCRIPT = `
  import { unmapProgramPages } from ${JSON.stringify(MODULE)};
  import { createHash } from 'node:crypto';
  import { readFileSync } from 'node:fs';
  const fileMiB = () => {
    try {
      return Number(/RssFile:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
    } catch {
      return 0;
    }
  };
  const before = fileMiB();
  unmapProgramPages();
  const after = fileMiB();
  console.log(before, after, createHash('sha256').update('').digest('hex').slice(0, 8));`;

/** Node.js calls functions of the C library from 26 on. */
const CAN_UNMAP = platform() === 'linux' && Number(process.versions.node.split('.')[0]) >= 26;

const NODE = '/opt/node 26/bin/node';

/** Mapping as Linux lists it. @param anonymous pages that differ from the file [kB]. @param swap the same in the swap. */
const mapping = (line: string, anonymous = 0, swap = 0): string => `${line}
Size:                400 kB
Rss:                  64 kB
Pss_Anon:              0 kB
Anonymous:             ${anonymous} kB
AnonHugePages:         0 kB
Swap:                  ${swap} kB
SwapPss:               0 kB
VmFlags: rd ex mr mw me sd
`;

describe('programRanges', () => {
  it('finds the text and the read-only data of a program', () => {
    const data = mapping(`7f000000-7f001000 r--p 00000000 08:01 1048 ${NODE}`);
    const text = mapping(`7f001000-7f003000 r-xp 00001000 08:01 1048 ${NODE}`);
    expect(programRanges(data + text, NODE)).toEqual([
      { start: 0x7f00_0000n, length: 0x1000n },
      { start: 0x7f00_1000n, length: 0x2000n },
    ]);
  });

  it.each([
    ['has pages that differ from the file', mapping(`7f003000-7f004000 r--p 3000 08:01 1048 ${NODE}`, 4)],
    ['has such pages in the swap', mapping(`7f003000-7f004000 r--p 3000 08:01 1048 ${NODE}`, 0, 4)],
    ['is writable', mapping(`7f003000-7f004000 rw-p 3000 08:01 1048 ${NODE}`)],
    ['is shared', mapping(`7f003000-7f004000 r--s 3000 08:01 1048 ${NODE}`)],
    ['is of another file', mapping('7f003000-7f004000 r-xp 3000 08:01 1048 /usr/lib/libc.so.6')],
    ['has no file', mapping('7f003000-7f004000 r-xp 0 00:00 0 ')],
    ['belongs to the kernel', mapping('7f003000-7f004000 r-xp 0 00:00 0 [vdso]')],
  ])('leaves a mapping that %s', (_, entry) => {
    expect(programRanges(entry, NODE)).toEqual([]);
  });

  it('finds nothing in an empty list', () => {
    expect(programRanges('', NODE)).toEqual([]);
  });
});

it('reduces the resident pages of files, and the program goes on', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const [before, after, digest] = stdout.trim().split(' ');
  expect(digest).toBe('e3b0c442');
  if (CAN_UNMAP) expect(Number(after)).toBeLessThan(Number(before) / 2);
  else expect(Number(after)).toBeGreaterThanOrEqual(Number(before));
});

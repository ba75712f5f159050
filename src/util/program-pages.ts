import { readFileSync, readlinkSync } from 'node:fs';
import { findCFunction } from './c-function.js';

/** Address range of a mapping of this process (bytes). */
interface AddressRange {
  readonly start: bigint;
  readonly length: bigint;
}

/** Removes pages from a process; the next use maps them again. Source: madvise(2). */
const MADV_DONTNEED = 4;

/** First line of a mapping in `smaps`: addresses, permissions, offset, device, inode, file. */
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ +(\/.*)$/m;

let unmap: (() => void) | undefined;

/**
 * Unmaps the pages of Node.js itself that this process has used so far, so that they no longer count as its resident
 * memory: the start of the process or of a thread uses many that nothing else needs. They stay in the system's page cache,
 * which gives the ones in use back without reading the file: 2 ms of CPU for all of them. Does nothing on another system
 * than Linux or with an older Node.js.
 */
export function unmapProgramPages(): void {
  unmap ??= findUnmap();
  unmap();
}

function findUnmap(): () => void {
  const madvise = findCFunction('madvise', ['uint64', 'uint64', 'int32']);
  // The program stays where it is mapped, so its addresses are read once: those of a library may get another use.
  const ranges = madvise === undefined ? [] : readProgramRanges();
  return () => {
    for (const { start, length } of ranges) madvise?.(start, length, MADV_DONTNEED);
  };
}

function readProgramRanges(): readonly AddressRange[] {
  try {
    return programRanges(readFileSync('/proc/self/smaps', 'utf8'), readlinkSync('/proc/self/exe'));
  } catch {
    return [];
  }
}

/** True if a mapping has no page that differs from the file, neither in memory nor in the swap. */
const equalsFile = (mapping: string): boolean =>
  ['Anonymous', 'Swap'].every((kind) => new RegExp(`^${kind}: +0 kB$`, 'm').test(mapping));

/**
 * Finds the mappings of a program of which no page differs from its file: a page that a relocation changed would be lost.
 * @param smaps mappings as Linux lists them in `/proc/PID/smaps`. @param program path of the file.
 */
export function programRanges(smaps: string, program: string): AddressRange[] {
  return smaps.split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/).flatMap((mapping) => {
    const [, start = '', end = '', permissions, file] = MAPPING.exec(mapping) ?? [];
    const isReadOnly = permissions === 'r-xp' || permissions === 'r--p';
    if (file !== program || !isReadOnly || !equalsFile(mapping)) return [];
    const first = BigInt(`0x${start}`);
    return [{ start: first, length: BigInt(`0x${end}`) - first }];
  });
}

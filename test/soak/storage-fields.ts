/** Types of portable storage that lies about fields need. Source: portable_storage_base.h. */
export const FIELD = { u64: 5, string: 10, bool: 11 } as const;

/** Places of the contents of the fields of one name and type in a binary answer. */
function* contentsOf(answer: Buffer, name: string, type: number): Generator<number> {
  const head = Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(type)]);
  for (let at = answer.indexOf(head); at >= 0; at = answer.indexOf(head, at + head.length))
    yield at + head.length;
}

/** Reads a size: its two lowest bits are the logarithm of its length. @returns size and length. */
function readSize(answer: Buffer, at: number): [size: number, length: number] {
  const length = 1 << ((answer[at] ?? 0) & 3);
  if (length === 8 || at + length > answer.length) return [0, length];
  return [Math.floor(answer.readUIntLE(at, length) / 4), length];
}

/** Changes every number of one name in a binary answer, in a copy. */
export function changeNumbers(answer: Buffer, name: string, change: (value: bigint) => bigint): Buffer {
  const copy = Buffer.from(answer);
  for (const at of contentsOf(copy, name, FIELD.u64))
    if (at + 8 <= copy.length)
      copy.writeBigUInt64LE(BigInt.asUintN(64, change(copy.readBigUInt64LE(at))), at);
  return copy;
}

/** Changes the bytes of every text of one name in a binary answer, in a copy. @param change of its place in the list. */
export function changeTexts(
  answer: Buffer,
  name: string,
  change: (text: Buffer, index: number, all: readonly Buffer[]) => Buffer,
): Buffer {
  const copy = Buffer.from(answer);
  const places = [...contentsOf(copy, name, FIELD.string)].map((at) => {
    const [size, length] = readSize(copy, at);
    return { start: at + length, end: Math.min(copy.length, at + length + size) };
  });
  const texts = places.map(({ start, end }) => Buffer.from(copy.subarray(start, end)));
  for (const [i, { start, end }] of places.entries())
    change(texts[i] as Buffer, i, texts).copy(copy, start, 0, end - start);
  return copy;
}

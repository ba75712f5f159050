/** Bytes that break parsers of lengths and points: small values, signed limits, long varints, non-canonical scalars. */
export const HOSTILE_BYTES: readonly Uint8Array[] = [
  ...[0x00, 0x01, 0x02, 0x7f, 0x80, 0xff].map((byte) => Uint8Array.of(byte)),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
  // Overlong varints; 128^148 exceeds the range of a double.
  ...[9, 10, 147, 148, 300].map((length) =>
    Uint8Array.from({ length }, (_, i) => (i < length - 1 ? 0x80 : 1)),
  ),
  new Uint8Array(32),
  new Uint8Array(32).fill(0xff),
];

/** Texts that break parsers of texts, paths and numbers. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\0',
    '\u00e9',
    '\u{1f4a9}',
    '\ud800',
    '\u202e',
    '"',
    '\\',
    '%',
    '%zz',
    '%00',
    '&',
    '=',
  ],
  ...['/', '../', '<', '-1', '1e999', 'null'],
];

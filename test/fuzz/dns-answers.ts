import { writeQuery, parseName } from '../../src/net/dns/message.js';
import { concatBytes, utf8 } from '../../src/util/bytes.js';

/** Name that the answers are about. */
export const DNS_NAME = parseName('donate.example.org');

/** Answers with TXT and CNAME records, with and without compressed names. */
export function dnsAnswers(): Uint8Array[] {
  const query = writeQuery(7, DNS_NAME);
  const question = query.subarray(12, 12 + DNS_NAME.length + 4);
  const text = utf8('oa1:xmr recipient_address=4;');
  const txt = concatBytes(
    Uint8Array.of(0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, text.length + 1, text.length),
    text,
  );
  const target = parseName('other.example.org');
  const cname = concatBytes(
    Uint8Array.of(0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, target.length),
    Buffer.from(target, 'latin1'),
  );
  const head = (answers: number, flags = 0x81a0): Uint8Array =>
    Uint8Array.of(0, 7, flags >> 8, flags & 0xff, 0, 1, 0, answers, 0, 0, 0, 0);
  return [
    concatBytes(head(1), question, txt),
    concatBytes(head(2), question, cname, txt),
    concatBytes(head(0, 0x8183), question),
    concatBytes(head(0, 0x83a0), question),
    query,
  ];
}

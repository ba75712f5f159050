import { domainToASCII } from 'node:url';
import { toLatin1 } from '../../util/bytes.js';
import { CodecError, type Reader, type Writer } from '../../util/codec.js';

/** Domain name in wire format, uncompressed and in lower case, so that equal names are equal strings. */
export type DnsName = string & { readonly __role: 'DnsName' };

const MAX_LABEL = 63;
const MAX_WIRE = 255;

const isLatin1 = (text: string): boolean => /^[\x00-\xff]*$/.test(text);

/**
 * Parses a host name; allows a dot at the end, and converts other alphabets to ASCII.
 * @throws CodecError for a text that is not a host name.
 */
export function parseName(text: string): DnsName {
  const ascii = /[^\x00-\x7f]/.test(text) ? domainToASCII(text) : text;
  const labels = ascii.replace(/\.$/, '').toLowerCase().split('.');
  for (const label of labels)
    if (!/^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label) || label.length > MAX_LABEL)
      throw new CodecError('not a host name');
  const wire = `${labels.map((label) => String.fromCharCode(label.length) + label).join('')}\0`;
  if (wire.length > MAX_WIRE) throw new CodecError('the host name is too long');
  return wire as DnsName;
}

/** Writes a name without compression. Source: RFC 1035 section 3.1. */
export function writeName(name: DnsName, w: Writer): void {
  if (!isLatin1(name)) throw new RangeError('a DNS name has one byte per character');
  w.bytes(Uint8Array.from(name, (char) => char.charCodeAt(0)));
}

const POINTER = 0xc0;

/**
 * Reads a name with compression. Each pointer must point to a smaller offset than the pointer before, so that reading
 * ends.
 * @param at returns a reader of the message at an offset. Source: RFC 1035 section 4.1.4.
 * @throws CodecError
 */
export function readName(r: Reader, at: (offset: number) => Reader): DnsName {
  let wire = '';
  let reader = r;
  let start = r.offset;
  for (;;) {
    const length = reader.byte();
    if ((length & POINTER) === POINTER) {
      const target = ((length & ~POINTER) << 8) | reader.byte();
      if (target >= start) throw new CodecError('a DNS name points forwards');
      start = target;
      reader = at(target);
      continue;
    }
    if (length > MAX_LABEL) throw new CodecError('a DNS label of an unknown type');
    wire += String.fromCharCode(length) + toLatin1(reader.view(length));
    if (wire.length > MAX_WIRE) throw new CodecError('the DNS name is too long');
    if (length === 0) return wire.toLowerCase() as DnsName;
  }
}

import { domainToASCII } from 'node:url';
import { CodecError, type Reader, type Writer } from '../util/codec.js';

/** A name as it goes over the wire, without compression and in lower case: names are equal when these are. */
export type DnsName = string & { readonly __role: 'DnsName' };

const MAX_LABEL = 63;
const MAX_WIRE = 255;

const isLatin1 = (text: string): boolean => /^[\x00-\xff]*$/.test(text);

/**
 * Reads a host name as people write it; a dot at the end is allowed, another alphabet is turned into ASCII.
 * @throws CodecError for what cannot be one.
 */
export function parseName(text: string): DnsName {
  const ascii = /[^\x00-\x7f]/.test(text) ? domainToASCII(text) : text;
  const labels = ascii.replace(/\.$/, '').toLowerCase().split('.');
  for (const label of labels)
    if (!/^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label) || label.length > MAX_LABEL)
      throw new CodecError('not a host name');
  const wire = `${labels.map((label) => String.fromCharCode(label.length) + label).join('')}\0`;
  if (wire.length > MAX_WIRE) throw new CodecError('a host name that is too long');
  return wire as DnsName;
}

/** Source: RFC 1035 section 3.1. */
export function writeName(name: DnsName, w: Writer): void {
  if (!isLatin1(name)) throw new RangeError('a name of bytes is expected');
  w.bytes(Uint8Array.from(name, (char) => char.charCodeAt(0)));
}

const POINTER = 0xc0;

/**
 * Reads a name; what it points back to lies further ahead in the message each time, so that there is an end.
 * @param at opens the message at an offset. Source: RFC 1035 section 4.1.4.
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
      if (target >= start) throw new CodecError('a name that points forwards');
      start = target;
      reader = at(target);
      continue;
    }
    if (length > MAX_LABEL) throw new CodecError('a label of an unknown kind');
    wire += String.fromCharCode(length) + Buffer.from(reader.view(length)).toString('latin1');
    if (wire.length > MAX_WIRE) throw new CodecError('a name that is too long');
    if (length === 0) return wire.toLowerCase() as DnsName;
  }
}

import { domainToASCII } from 'node:url';
import { toLatin1 } from '../../util/bytes.js';
import { CodecError, Reader, Writer } from '../../util/codec.js';

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
function writeName(name: DnsName, w: Writer): void {
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
function readName(r: Reader, at: (offset: number) => Reader): DnsName {
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

const TYPE = { cname: 5, txt: 16, opt: 41 } as const;
const INTERNET = 1;
/** Largest answer that UDP transports without fragmentation [bytes]. Source: RFC 9715. */
const UDP_PAYLOAD = 1232;

const FLAG = { response: 0x8000, opcode: 0x7800, truncated: 0x0200, recurse: 0x0100, authenticated: 0x0020 };
const RCODE = 0x000f;
/** Flag in an OPT record that requests DNSSEC records. Source: RFC 3225. */
const DNSSEC_OK = 0x8000;

/** Record in an answer: TXT or CNAME; records of other types are ignored. */
export type DnsRecord =
  | { readonly type: 'txt'; readonly owner: DnsName; readonly text: string }
  | { readonly type: 'cname'; readonly owner: DnsName; readonly target: DnsName };

/** Parsed answer of a resolver. */
export interface DnsAnswer {
  readonly id: number;
  /** Name in the question; absent unless the question is for TXT records. */
  readonly question?: DnsName;
  readonly truncated: boolean;
  /** True if the resolver has verified all records of the answer (flag AD). Source: RFC 4035 section 3.2.3. */
  readonly authenticated: boolean;
  /** Response code. 0: no error; 2: the resolver or the DNSSEC validation failed; 3: the name does not exist. */
  readonly rcode: number;
  readonly records: readonly DnsRecord[];
}

function u16(w: Writer, value: number): void {
  w.byte(value >> 8);
  w.byte(value & 0xff);
}

const readU16 = (r: Reader): number => (r.byte() << 8) | r.byte();

/**
 * Writes a query for the TXT records of a name, which requests DNSSEC validation.
 * @param id 16 random bits. Source: RFC 1035 section 4.1, RFC 6891, RFC 6840 section 5.7 (the AD bit of a query).
 */
export function writeQuery(id: number, name: DnsName): Uint8Array {
  const w = new Writer();
  for (const field of [id, FLAG.recurse | FLAG.authenticated, 1, 0, 0, 1]) u16(w, field);
  writeName(name, w);
  u16(w, TYPE.txt);
  u16(w, INTERNET);
  w.byte(0);
  for (const field of [TYPE.opt, UDP_PAYLOAD, 0, DNSSEC_OK, 0]) u16(w, field);
  return w.finish();
}

/** Parses an answer. @throws CodecError unless the message is an answer with at most one question. */
export function readAnswer(message: Uint8Array): DnsAnswer {
  const at = (offset: number): Reader => new Reader(message, offset);
  const r = at(0);
  const id = readU16(r);
  const flags = readU16(r);
  const [questions = 0, answers = 0] = [readU16(r), readU16(r), readU16(r), readU16(r)];
  if ((flags & FLAG.response) === 0 || (flags & FLAG.opcode) !== 0) throw new CodecError('not an answer');
  if (questions > 1) throw new CodecError('an answer to several questions');
  let question: DnsName | undefined;
  if (questions === 1) {
    const name = readName(r, at);
    const [type, family] = [readU16(r), readU16(r)];
    if (type === TYPE.txt && family === INTERNET) question = name;
  }
  const truncated = (flags & FLAG.truncated) !== 0;
  const records: DnsRecord[] = [];
  // Skips the records of a truncated answer, which is requested again over TCP.
  for (let i = 0; i < answers && !truncated; i++) {
    const record = readRecord(r, at);
    if (record !== undefined) records.push(record);
  }
  return {
    id,
    ...(question === undefined ? {} : { question }),
    truncated,
    authenticated: (flags & FLAG.authenticated) !== 0,
    rcode: flags & RCODE,
    records,
  };
}

function readRecord(r: Reader, at: (offset: number) => Reader): DnsRecord | undefined {
  const owner = readName(r, at);
  const [type, family] = [readU16(r), readU16(r)];
  r.view(4);
  const length = readU16(r);
  const start = r.offset;
  const data = r.view(length);
  if (family !== INTERNET) return undefined;
  if (type === TYPE.txt) return { type: 'txt', owner, text: readText(data) };
  if (type === TYPE.cname) return { type: 'cname', owner, target: readName(at(start), at) };
  return undefined;
}

/** Joins the strings of a TXT record: a text is split into strings of up to 255 bytes each. */
function readText(data: Uint8Array): string {
  const r = new Reader(data);
  let text = '';
  while (r.remaining > 0) text += toLatin1(r.view(r.byte()));
  return text;
}

/** Largest number of aliases (CNAME records) that are followed one after another. */
const MAX_ALIASES = 16;

/**
 * Selects the texts of a name among the records of an answer, and follows aliases. @throws CodecError for too many
 * aliases.
 */
export function textsOf(name: DnsName, records: readonly DnsRecord[]): string[] {
  let owner = name;
  for (let i = 0; i < MAX_ALIASES; i++) {
    const texts = records.flatMap((record) =>
      record.type === 'txt' && record.owner === owner ? [record.text] : [],
    );
    const alias = records.find((record) => record.type === 'cname' && record.owner === owner);
    if (texts.length > 0 || alias?.type !== 'cname') return texts;
    owner = alias.target;
  }
  throw new CodecError('too many aliases');
}

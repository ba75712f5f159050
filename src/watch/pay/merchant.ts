import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { fileErrorCode, readOperatorFile } from '../../util/files.js';

/** Error of the file of the merchant. The message names the file and the fault. */
export class MerchantFileError extends Error {
  override readonly name = 'MerchantFileError';
}

/** Picture of the merchant. */
export interface Logo {
  /** Media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Changes with the content, so that browsers may keep the picture. */
  readonly version: string;
}

/** Merchant, as the pay pages name it. */
export interface Merchant {
  readonly name: string;
  readonly logo?: Logo;
  /** Link to reach the merchant, a mail address or a page, with its text. */
  readonly contact?: { readonly url: string; readonly text: string };
  /** Page with the terms of the merchant. */
  readonly terms?: string;
}

/** Largest size of the file, and of the logo [bytes]. */
const MAX_FILE_BYTES = 16 << 10;
const MAX_LOGO_BYTES = 100 << 10;
const MAX_NAME = 60;
const MAX_URL = 2048;

const isHttps = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.username + url.password === '';
};

/** Mail addresses that need no quotes. */
const MAIL = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d-]+(?:\.[a-z\d-]+)+$/i;

const https = z.string().max(MAX_URL).refine(isHttps, 'is an https URL, without user and password');
const SCHEMA = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(MAX_NAME)
    .refine((name) => !/\p{Cc}/u.test(name), 'has no control characters'),
  logo: z
    .string()
    .refine(
      (name) => name !== '' && basename(name) === name && name !== '..',
      'is the name of a file beside it',
    )
    .optional(),
  contact: z
    .string()
    .max(MAX_URL)
    .refine((text) => MAIL.test(text) || isHttps(text), 'is a mail address or an https URL')
    .optional(),
  terms: https.optional(),
});

/** Types of pictures by their first bytes. Sources: RFC 2083, ITU-T T.81, RFC 9649. */
const PICTURES: readonly (readonly [type: string, isOne: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', (bytes) => bytes.toString('latin1', 0, 3) === '\xff\xd8\xff'],
  [
    'image/webp',
    (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  ],
  [
    'image/svg+xml',
    (bytes) =>
      /^(?:\uFEFF)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<svg[\s>]/.test(bytes.toString('utf8')),
  ],
];

function read(path: string, mostBytes: number): Buffer {
  try {
    return readOperatorFile(path, { mostBytes });
  } catch (cause) {
    throw new MerchantFileError(`${path} cannot be read (${fileErrorCode(cause)})`, { cause });
  }
}

function readLogo(path: string): Logo {
  const bytes = read(path, MAX_LOGO_BYTES);
  const [type] = PICTURES.find(([, isOne]) => isOne(bytes)) ?? [];
  if (type === undefined) throw new MerchantFileError(`${path} is no PNG, JPEG, WebP or SVG picture`);
  return { type, bytes, version: createHash('sha256').update(bytes).digest('hex').slice(0, 16) };
}

/** Reads the file of a merchant, with its logo. @throws MerchantFileError */
export function readMerchant(path: string): Merchant {
  const text = read(path, MAX_FILE_BYTES).toString();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new MerchantFileError(`${path} is no JSON`, { cause });
  }
  const { success, data, error } = SCHEMA.safeParse(json, { jitless: true });
  if (!success) {
    const [issue] = error.issues;
    const place = issue?.path.join('.') ?? '';
    throw new MerchantFileError(`${path}: ${place === '' ? '' : `${place} `}${issue?.message ?? ''}`);
  }
  const { name, logo, contact, terms } = data;
  return {
    name,
    ...(logo === undefined ? {} : { logo: readLogo(join(dirname(path), logo)) }),
    ...(contact === undefined ? {} : { contact: contactOf(contact) }),
    ...(terms === undefined ? {} : { terms }),
  };
}

const contactOf = (contact: string): NonNullable<Merchant['contact']> =>
  MAIL.test(contact)
    ? { url: `mailto:${encodeURIComponent(contact).replace('%40', '@')}`, text: contact }
    : { url: contact, text: new URL(contact).host };

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MerchantFileError, readMerchant } from '../../../src/watch/pay/merchant.js';

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'merchant-'));
  path = join(folder, 'merchant.json');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(content: unknown) {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readMerchant(path);
}

const PNG = Buffer.from('89504e470d0a1a0a00', 'hex');

function readLogo(bytes: Buffer | string) {
  writeFileSync(join(folder, 'logo'), bytes);
  return read({ name: 'Tom', logo: 'logo' }).logo;
}

describe('the file of a merchant', () => {
  it('has a name, and perhaps a contact and terms', () => {
    expect(read({ name: ' Tom ' })).toEqual({ name: 'Tom' });
    expect(read({ name: 'Tom', contact: 'pay+1@shop.example', terms: 'https://shop.example/terms' })).toEqual(
      {
        name: 'Tom',
        contact: { url: 'mailto:pay%2B1@shop.example', text: 'pay+1@shop.example' },
        terms: 'https://shop.example/terms',
      },
    );
    expect(read({ name: 'Tom', contact: 'https://shop.example/help' }).contact).toEqual({
      ...{ url: 'https://shop.example/help', text: 'shop.example' },
    });
  });

  it.each([
    ['no JSON', '{', /is no JSON/],
    ['no object', '[]', /expected object/],
    ['no name', {}, /: name /],
    ['an empty name', { name: ' ' }, /: name /],
    ['a long name', { name: 'x'.repeat(61) }, /: name /],
    ['a name with a line end', { name: 'a\nb' }, /: name has no control characters/],
    [
      'a contact that is neither',
      { name: 'x', contact: 'call us' },
      /contact is a mail address or an https URL/,
    ],
    ['a script as a contact', { name: 'x', contact: 'javascript:alert(1)' }, /contact is a mail/],
    ['terms without TLS', { name: 'x', terms: 'http://shop.example' }, /terms is an https URL/],
    ['terms with a password', { name: 'x', terms: 'https://a:b@shop.example' }, /terms is an https URL/],
    ['a logo in another folder', { name: 'x', logo: '../logo.png' }, /logo is the name of a file beside it/],
    ['a logo that is a folder', { name: 'x', logo: '..' }, /logo is the name of a file beside it/],
    ['a logo that is missing', { name: 'x', logo: 'none.png' }, /none\.png cannot be read \(ENOENT\)/],
    ['a member that is unknown', { name: 'x', phone: '1' }, /[Uu]nrecognized key.*phone/],
  ])('is refused with %s', (_, content, message) => {
    expect(() => read(content)).toThrow(MerchantFileError);
    expect(() => read(content)).toThrow(message);
  });
});

describe('the logo of a merchant', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', Buffer.from('ffd8ffe0', 'hex')],
    ['image/webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ')],
    ['image/svg+xml', '<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ])('is %s by its first bytes, whatever its name', (type, bytes) => {
    expect(readLogo(bytes)).toMatchObject({ type, bytes: Buffer.from(bytes) });
  });

  it.each([
    ['a page', '<!doctype html><script>'],
    ['a GIF', 'GIF89a'],
    ['nothing', ''],
  ])('is not %s', (_, bytes) => {
    expect(() => readLogo(bytes)).toThrow(/logo is no PNG, JPEG, WebP or SVG picture/);
  });

  it('has at most 100 KiB', () => {
    expect(readLogo(Buffer.concat([PNG, Buffer.alloc((100 << 10) - PNG.length)]))?.bytes).toHaveLength(
      102_400,
    );
    expect(() => readLogo(Buffer.concat([PNG, Buffer.alloc(100 << 10)]))).toThrow(/EFBIG/);
  });

  it('has another version when it changes', () => {
    const first = readLogo(PNG)?.version;
    expect(readLogo(PNG)?.version).toBe(first);
    expect(readLogo(Buffer.concat([PNG, PNG]))?.version).not.toBe(first);
  });
});

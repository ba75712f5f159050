import { describe, expect, it } from '@jest/globals';
import { payUrlOf } from '../../src/cli/pay.js';

describe('the address of the pay pages', () => {
  it('is the public one, or else that of the bound port', () => {
    const bind = { ip: '127.0.0.1', port: 0 };
    expect(payUrlOf(bind, 8080)).toBe('http://127.0.0.1:8080/pay/');
    expect(payUrlOf({ ...bind, ip: '::1' }, 8080)).toBe('http://[::1]:8080/pay/');
    expect(payUrlOf({ ...bind, url: 'https://shop.example/a/' }, 1)).toBe('https://shop.example/a/pay/');
  });
});

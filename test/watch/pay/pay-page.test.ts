import { describe, expect, it } from '@jest/globals';
import { encode } from 'uqr';
import {
  qrCode,
  busyPage,
  livePart,
  notFoundPage,
  payPage,
  timeText,
} from '../../../src/watch/pay/pay-page.js';
import type { PayState } from '../../../src/watch/pay/pay-view.js';
import { GERMAN, ENGLISH } from '../../../src/watch/pay/pay-texts.js';
import { ADDRESS, COIN, NOW, STATES, TIP, viewOf, type RequestFixture } from './fixtures.js';

/** Draws the rectangles of a code. */
function modulesOf(svg: string, size: number): boolean[][] {
  const dark = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let i = 0; i < Number(width); i++) (dark[Number(y)] as boolean[])[Number(x) + i] = true;
  return dark;
}

describe('a QR code', () => {
  it('has the dark modules of its text, with a quiet zone of four modules', () => {
    const text = `monero:${'8'.repeat(95)}?tx_amount=1.500000000000`;
    const { data, size } = encode(text, { border: 4 });
    const svg = qrCode(text).text;
    expect(svg).toContain(`viewBox="0 0 ${size} ${size}"`);
    expect(modulesOf(svg, size)).toEqual(data);
  });

  it('is kept, and drawn again after 256 others', () => {
    const first = qrCode('first');
    expect(qrCode('first')).toBe(first);
    for (let i = 0; i < 256; i++) qrCode(String(i));
    expect(qrCode('first')).not.toBe(first);
    expect(qrCode('first')).toEqual(first);
  });
});

const page = (fixture: RequestFixture, texts = ENGLISH): string =>
  payPage(viewOf(fixture), texts, NOW).replace(/\s+/g, ' ');
const status = (fixture: RequestFixture, texts = ENGLISH): string =>
  livePart(viewOf(fixture), texts)
    .status.replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Texts of each state. */
const ENGLISH_TEXTS: Readonly<Record<PayState, string>> = {
  waiting: 'Waiting for payment Scan the code, or copy amount and address into your wallet.',
  partial:
    'Part of the amount has arrived Please send the missing 1.5 XMR too. Received 0.5 XMR Not in a block yet 0.5 XMR Missing 1.5 XMR',
  received:
    'Payment received Thank you. You may close this page. 0 of 10 confirmations Received 1 XMR Not in a block yet 1 XMR',
  seen: 'Payment detected The next block will contain it, in about two minutes. You need not do anything. 0 of 10 confirmations Received 2 XMR Not in a block yet 2 XMR',
  confirming: 'Payment is being confirmed 4 of 10 confirmations Received 2 XMR',
  paid: 'Paid Thank you. The payment is complete. Received 2 XMR',
  overpaid:
    'Paid, more than requested The payment is complete. It exceeds the amount by 1 XMR; ask the recipient about the difference. Received 3 XMR',
  expired: 'Payment request expired Please do not pay any more: the payment would not be assigned.',
};

describe('a pay page', () => {
  it.each(Object.entries(ENGLISH_TEXTS))('says that its request is %s', (state, text) => {
    expect(status(STATES[state as PayState])).toBe(text);
    expect(page(STATES[state as PayState])).toContain(`<body data-state="${state}">`);
  });

  it.each(Object.keys(STATES) as PayState[])('has German texts in state %s', (state) => {
    const text = page(STATES[state], GERMAN);
    expect(text).toContain('<html lang="de">');
    expect(text).toContain(GERMAN.headings[state]);
    expect(text).not.toMatch(/\b(?:the|payment|amount|received|copy|wallet server)\b(?![-"=])/);
  });

  it('escapes the label, and the link back to the shop', () => {
    const text = page({ label: '<b>"x"&', returnUrl: 'https://shop.example/?a="&b=1' });
    expect(text).toContain('<p class="label">&lt;b&gt;&quot;x&quot;&amp;</p>');
    expect(text).toContain('href="https://shop.example/?a=&quot;&amp;b=1"');
  });

  it('names neither reference nor metadata nor token', () => {
    expect(page({ label: 'x' })).not.toMatch(/secret|0707/);
  });

  it('has a code, address and amount exactly while something is to be paid', () => {
    for (const state of Object.keys(STATES) as PayState[]) {
      const isPayable = ['waiting', 'partial', 'received'].includes(state);
      expect([state, page(STATES[state]).includes('<svg xmlns')]).toEqual([state, isPayable]);
      expect([state, page(STATES[state]).includes(`data-copy="${ADDRESS}"`)]).toEqual([state, isPayable]);
    }
    expect(page({})).toContain('data-copy="2"');
    expect(page({ asked: 1n })).toContain('data-copy="0.000000000001"');
  });

  it('names payments that were too little, too late or locked', () => {
    const ended = { expires: NOW - 60, ended: true };
    expect(status({ ...ended, paid: [[COIN, 50, { arrival: NOW - 100 }]] })).toContain(
      '1 XMR arrived in time, which is not enough: contact the recipient.',
    );
    expect(status({ ...ended, paid: [[COIN, 50]] })).toContain(
      '1 XMR arrived too late: contact the recipient.',
    );
    expect(status({ paid: [[COIN, 50, { unlockTime: 5000n }]] })).toContain('1 XMR does not count yet');
  });

  it('says that a payment may appear late while the wallet lacks blocks', () => {
    expect(status({ isSynced: false })).toContain('catching up');
    expect(status({ ...STATES.paid, isSynced: false })).not.toContain('catching up');
  });

  it('shows the time left only while something is to be paid', () => {
    expect(page({ expires: NOW + 65 })).toMatch(
      /<p id="time" > Time left <span role="timer" data-left="65">1:05</,
    );
    expect(page({})).toMatch(/<p id="time" hidden>/);
    expect(page({ ...STATES.seen, expires: NOW + 65 })).toMatch(/<p id="time" hidden>/);
  });

  it('shows no confirmations where none are needed', () => {
    expect(status({ confirmations: 0, paid: [[2n * COIN, undefined, { isContested: true }]] })).not.toContain(
      'confirmation',
    );
    expect(status({ confirmations: 1, paid: [[2n * COIN]] })).toContain('0 of 1 confirmation ');
  });

  it('reloads itself without a script, less often once it has ended', () => {
    expect(page({})).toContain('<noscript><meta http-equiv="refresh" content="15" /></noscript>');
    expect(page(STATES.paid)).toContain('<noscript><meta http-equiv="refresh" content="60" /></noscript>');
    expect(busyPage(ENGLISH, 10)).toContain('<meta http-equiv="refresh" content="10" />');
    expect(notFoundPage(ENGLISH)).not.toContain('refresh');
  });

  it('has relative links alone, so that a proxy may serve it in any folder', () => {
    const links = [...page({}).matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link);
    expect(links.filter((link) => !/^(?:data:,|pay\.css|pay\.js|monero:.*)$/.test(link ?? ''))).toEqual([]);
  });
});

describe('the changing part of a page', () => {
  it('names the payment by its link, which differs when the missing amount does', () => {
    expect(livePart(viewOf({}), ENGLISH).uri).toContain('tx_amount=2.0');
    expect(livePart(viewOf(STATES.partial), ENGLISH).uri).toContain('tx_amount=1.5');
    expect(livePart(viewOf({ paid: [[2n * COIN, TIP]] }), ENGLISH).uri).toBeUndefined();
  });

  it('has the title of the page', () => {
    const { title } = livePart(viewOf({}), ENGLISH);
    expect(title).toBe('Waiting for payment – 2 XMR');
    expect(page({})).toContain(`<title>${title}</title>`);
    expect(livePart(viewOf({ asked: null }), ENGLISH).title).toBe('Waiting for payment – Payment in Monero');
  });
});

describe('the time left', () => {
  it.each([
    [-5, '0:00'],
    [0, '0:00'],
    [59, '0:59'],
    [600, '10:00'],
    [3599, '59:59'],
    [3600, '1:00:00'],
    [172_799, '47:59:59'],
    [172_800, '2 days'],
    [864_000, '10 days'],
  ])('of %d s is %s', (seconds, text) => {
    expect(timeText(seconds, ENGLISH)).toBe(text);
  });
});

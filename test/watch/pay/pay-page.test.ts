import { describe, expect, it } from '@jest/globals';
import { encode } from 'uqr';
import { busyPage, notFoundPage, type PageSetting } from '../../../src/watch/pay/pay-frame.js';
import { chooseTexts } from '../../../src/watch/pay/pay-texts.js';
import { livePart, payPage } from '../../../src/watch/pay/pay-page.js';
import type { PayState } from '../../../src/watch/pay/pay-view.js';
import { qrCode } from '../../../src/watch/pay/qr-code.js';
import { ENGLISH, GERMAN, ADDRESS, COIN, NOW, STATES, TIP, viewOf, type RequestFixture } from './fixtures.js';

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

const page = (fixture: RequestFixture, texts = ENGLISH, setting: PageSetting = {}): string =>
  payPage(viewOf(fixture), texts, NOW, setting).replace(/\s+/g, ' ');
const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const status = (fixture: RequestFixture, texts = ENGLISH): string =>
  textOf(livePart(viewOf(fixture), texts).status);
const receipt = (fixture: RequestFixture, texts = ENGLISH): string =>
  textOf(livePart(viewOf(fixture), texts).receipt);

/** Texts of each state. */
const ENGLISH_TEXTS: Readonly<Record<PayState, string>> = {
  waiting: 'Waiting for payment Scan the code, or copy amount and address into your wallet.',
  partial:
    'Part of the amount has arrived Please send the missing 1.5 XMR too. Received 0.5 XMR in no block yet Missing 1.5 XMR',
  received:
    'Payment received Thank you. You may close this page. 0 of 10 confirmations Received 1 XMR in no block yet',
  seen: 'Payment detected The network has your payment. To confirm it usually takes about 20 minutes. You may close this page. 0 of 10 confirmations Received 2 XMR in no block yet',
  confirming:
    'Payment is being confirmed This usually takes about 12 minutes more. You may close this page. 4 of 10 confirmations Received 2 XMR',
  paid: 'Paid Thank you. The payment is complete. Received 2 XMR',
  overpaid:
    'Paid, more than requested The payment is complete. It exceeds the amount by 1 XMR; ask the recipient about the difference. Received 3 XMR',
  expired: 'Payment request expired Please do not pay any more: the payment would not be assigned.',
  cancelled:
    'Payment request cancelled Please do not pay any more: the payment would not be assigned. Received 0.5 XMR in no block yet 0.5 XMR arrived before the cancellation: contact the recipient.',
};

describe('a pay page', () => {
  it.each(Object.entries(ENGLISH_TEXTS))('says that its request is %s', (state, text) => {
    expect(status(STATES[state as PayState])).toBe(text);
    expect(page(STATES[state as PayState])).toMatch(new RegExp(`<body data-state="${state}" ?>`));
  });

  it.each(Object.keys(STATES) as PayState[])('has German texts in state %s', (state) => {
    const text = page(STATES[state], GERMAN);
    expect(text).toContain('<html lang="de" dir="ltr">');
    expect(text).toContain(GERMAN.text(state));
    expect(text).not.toMatch(/\b(?:the|payment|amount|received|copy|wallet server)\b(?![-"=])/);
  });

  it('escapes the label, and the link back to the shop', () => {
    const text = page({ label: '<b>"x"&', returnUrl: 'https://shop.example/?a="&b=1' });
    expect(text).toContain('<p class="label"><bdi>&lt;b&gt;&quot;x&quot;&amp;</bdi></p>');
    expect(text).toContain('href="https://shop.example/?a=&quot;&amp;b=1"');
  });

  it('names neither metadata nor token, and the reference only on the receipt', () => {
    for (const state of Object.keys(STATES) as PayState[]) {
      expect(page({ label: 'x', ...STATES[state] })).not.toMatch(/secret|0707/);
      const isPaid = state === 'paid' || state === 'overpaid';
      expect([state, page(STATES[state]).includes('order 4711')]).toEqual([state, isPaid]);
    }
  });

  it('names the part of a sum that is in no block below the sum, in one entry', () => {
    expect(page({ paid: [[COIN / 2n, TIP], [COIN / 4n]] })).toMatch(
      /<dt>Received<\/dt> <dd> ?0\.75 XMR <small>including 0\.25 XMR that is in no block yet<\/small> ?<\/dd>/,
    );
  });

  it('has the price of the order, in the notation of its language', () => {
    const price = { currency: 'EUR', amount: '1250.5', rate: '625.25', rateTime: NOW, source: 'bank' };
    expect(page({ price })).toContain('<p class="price">€1,250.50</p>');
    expect(page({ price }, GERMAN)).toMatch(/<p class="price">1\.250,50\s€<\/p>/);
    expect(page({ price: { ...price, currency: 'USDT' } })).toContain('<p class="price">1250.5 USDT</p>');
    expect(page({})).not.toContain('class="price"');
  });

  it('asks for an amount of the payer if the request has none, without a button to copy it', () => {
    expect(status({ asked: null })).toContain('You choose the amount.');
    expect(page({ asked: null })).not.toContain('copy-amount');
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
      /<p id="time" > Time left: <span role="timer" data-left="65" ?>2 minutes</,
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

describe('a receipt', () => {
  const price = { currency: 'EUR', amount: '320', rate: '160', rateTime: NOW - 3600 };

  it('has date, amount, price, rate, reference and transaction, once the request is paid', () => {
    expect(receipt({ ...STATES.paid, price })).toBe(
      `Receipt Date October 9, 2025 at 08:52 UTC Amount 2 XMR Price €320.00 Exchange rate 1 XMR = €160.00, October 9, 2025 at 07:53 UTC Reference order 4711 Transaction ${'00'.repeat(32)} Print receipt`,
    );
    expect(receipt({ ...STATES.paid, price: { ...price, source: 'bank' } })).toContain(' UTC (bank) ');
    for (const state of ['waiting', 'seen', 'confirming', 'expired', 'cancelled'] as const)
      expect(receipt(STATES[state])).toBe('');
  });

  it('names the payments that paid the request, ten at most, and the date of the last one', () => {
    const paid = Array.from({ length: 12 }, (_, i) => [COIN, TIP - 9, { arrival: NOW - 600 * i }] as const);
    const text = receipt({ asked: 12n * COIN, paid });
    expect(text.match(/[0-9a-f]{64}/g)).toHaveLength(10);
    expect(text).toContain('and 2 further transactions');
    expect(text).toContain('at 08:53 UTC');
    const late = receipt({ paid: [...(STATES.paid.paid ?? []), [COIN], [COIN, 50, { unlockTime: 5000n }]] });
    expect(late).toContain('Amount 2 XMR');
    expect(late.match(/[0-9a-f]{64}/g)).toEqual(['00'.repeat(32)]);
  });
});

describe('the way back to the shop', () => {
  const returnUrl = 'https://shop.example/';

  it('leaves a frame, and is offered with a way to stay if the page goes back by itself', () => {
    expect(page({ returnUrl })).toMatch(/<a id="back" [^>]*target="_top"/);
    expect(page({ returnUrl })).not.toContain('id="stay"');
    const auto = page({ returnUrl, returnsAuto: true });
    expect(auto).toMatch(/<div id="auto" data-seconds="20" hidden>.*id="stay"/);
    expect(auto).toContain('id="back"');
    expect(page({ returnsAuto: true })).not.toContain('id="auto"');
  });
});

describe('the merchant', () => {
  const merchant = {
    name: 'Tom & Söhne',
    logo: { type: 'image/png', bytes: new Uint8Array(1), version: 'abc' },
    contact: { url: 'mailto:a@shop.example', text: 'a@shop.example' },
    terms: 'https://shop.example/terms?a=1&b=2',
  };

  it('is named on every page', () => {
    const pages = [
      ...Object.values(STATES).map((fixture) => page(fixture, ENGLISH, { merchant })),
      notFoundPage(ENGLISH, { merchant }),
      busyPage(ENGLISH, 10, { merchant }),
    ];
    for (const text of pages) {
      expect(text).toContain('Tom &amp; Söhne');
      expect(text).toContain('<img src="logo?abc" alt="" />');
      expect(text).toContain('href="mailto:a@shop.example"');
      expect(text).toContain('href="https://shop.example/terms?a=1&amp;b=2"');
    }
  });

  it('may have a name alone', () => {
    const text = page({}, ENGLISH, { merchant: { name: 'Tom' } });
    expect(text).toContain('<p>Tom</p>');
    expect(text).not.toMatch(/<img|<footer/);
  });
});

describe('a page in a language from right to left', () => {
  it('keeps amounts, addresses and hashes from left to right', () => {
    const arabic = chooseTexts('ar');
    expect(page({}, arabic)).toContain('<html lang="ar" dir="rtl">');
    expect(page({}, arabic)).toContain('\u20662 XMR\u2069');
    expect(page({}, arabic)).toContain('data-copy="2"');
    expect(page({}, arabic)).toMatch(/<code dir="ltr" ?>/);
    expect(page(STATES.paid, arabic)).toContain(`<code dir="ltr">${'00'.repeat(32)}</code>`);
    expect(status(STATES.confirming, arabic)).toContain('4 من 10 تأكيدات');
  });
});

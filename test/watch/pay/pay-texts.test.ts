import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { amount } from '../../../src/util/amount.js';
import { PACKAGE_ROOT } from '../../../src/util/own-package.js';
import {
  chooseTexts,
  COUNTED_KEYS,
  payLanguages,
  TEXT_KEYS,
  type LanguageFile,
  type TextKey,
} from '../../../src/watch/pay/pay-texts.js';
import { ENGLISH, GERMAN } from './fixtures.js';

const FOLDER = new URL('pages/languages/', PACKAGE_ROOT);
const files = readdirSync(FOLDER).map((name): [name: string, file: LanguageFile] => [
  name,
  JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as LanguageFile,
]);
const english = new Map(files).get('en.json') as LanguageFile;

describe('the language of a page', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    ['sw,de;q=0.5,en;q=0.3', 'de'],
    ['en;q=0.2, de ; q=0.9', 'de'],
    ['de;q=0, en;q=0.1', 'en'],
    ['de;q=0', 'en'],
    ['sw', 'en'],
    ['*', 'en'],
    ['den', 'en'],
    ['de;q=9', 'en'],
    [`${'sw,'.repeat(30)}de`, 'en'],
    ['fr-CH, fr;q=0.9, en;q=0.8', 'fr'],
    ['zh-TW', 'zh-Hans'],
    ['ar-EG;q=0.9, he', 'ar'],
  ])('of a browser with %p is %s', (header, lang) => {
    expect(chooseTexts(header).lang).toBe(lang);
  });

  it.each([
    ['pt-BR', 'pt'],
    ['JA', 'ja'],
    ['zh-Hans-CN', 'zh-Hans'],
    ['sw', 'de'],
    ['', 'de'],
    ['../en', 'de'],
  ])('is that of a request, %p, if there are texts in it', (locale, lang) => {
    expect(chooseTexts('de', locale).lang).toBe(lang);
  });
});

/** Names in the braces of a text. */
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();

/** Width of a text in Latin letters: Chinese and Japanese signs are twice as wide. */
const widthOf = (text: string): number =>
  [...text.replace(/\{\w+\}/g, '0.000000000001 XMR'.slice(0, 8))].reduce(
    (sum, sign) => sum + (/[\u3000-\u9fff\uff00-\uffef]/.test(sign) ? 2 : 1),
    0,
  );

/** Greatest widths of texts that stand in one line at 320 px, beside others or alone [Latin letters]. */
const ONE_LINE: Partial<Record<TextKey, number>> = {
  ...{ copy: 12, copied: 14, openWallet: 26, back: 26, stay: 26, print: 26, contact: 14, terms: 14 },
  ...{
    receivedSum: 14,
    missing: 14,
    amount: 12,
    missingAmount: 20,
    address: 12,
    copyAmount: 24,
    copyAddress: 24,
  },
  ...{
    timeLeft: 20,
    lastMinute: 26,
    receipt: 26,
    date: 20,
    price: 20,
    rate: 20,
    reference: 20,
    transaction: 20,
  },
  ...{ anyAmount: 26, paid: 26, refundAddress: 30, save: 14 },
};
/** Greatest width of a title, which takes two lines at 320 px. */
const TITLE = 40;
const TITLES: ReadonlySet<TextKey> = new Set([
  ...(['waiting', 'partial', 'received', 'seen', 'confirming', 'overpaid', 'expired', 'cancelled'] as const),
  ...(['notFound', 'busy'] as const),
]);
/** Greatest width of a sentence, which takes five lines. */
const SENTENCE = 180;

describe('the languages of the pay pages', () => {
  it('are at least twelve, one of them from right to left, and are found by the names of their files', () => {
    expect(files.length).toBeGreaterThanOrEqual(12);
    expect(files.filter(([, { direction }]) => direction === 'rtl')).not.toEqual([]);
    expect([...payLanguages().keys()]).toEqual(files.map(([name]) => name.replace('.json', '')).sort());
    for (const [name, { lang }] of files) {
      expect(new Intl.Locale(lang).language).toBe(name.replace('.json', ''));
      expect(Intl.DateTimeFormat.supportedLocalesOf(lang)).toEqual([lang]);
    }
  });

  it.each(files)('%s has every text, and no other', (_, file) => {
    expect(Object.keys(file).sort()).toEqual(['lang', 'direction', ...TEXT_KEYS, ...COUNTED_KEYS].sort());
    for (const key of TEXT_KEYS) expect([key, file[key].trim()]).toEqual([key, file[key]]);
    expect(TEXT_KEYS.filter((key) => file[key] === '')).toEqual([]);
    expect(['ltr', 'rtl']).toContain(file.direction);
  });

  it.each(files)('%s has the values of the English texts', (_, file) => {
    for (const key of TEXT_KEYS)
      expect([key, placeholders(file[key])]).toEqual([key, placeholders(english[key])]);
    for (const key of COUNTED_KEYS)
      for (const form of Object.values(file[key]))
        expect([key, placeholders(form)]).toEqual([key, placeholders(english[key].other ?? '')]);
  });

  it.each(files)('%s has a form for every number', (_, file) => {
    const rules = new Intl.PluralRules(file.lang);
    const needed = new Set(Array.from({ length: 1000 }, (__, number) => rules.select(number)));
    for (const key of COUNTED_KEYS)
      expect(Object.keys(file[key]).sort()).toEqual(
        [...needed, 'other'].filter((form, i, all) => all.indexOf(form) === i).sort(),
      );
  });

  it.each(files)('%s fits a page of 320 px', (_, file) => {
    const tooLong = TEXT_KEYS.filter(
      (key) => widthOf(file[key]) > (ONE_LINE[key] ?? (TITLES.has(key) ? TITLE : SENTENCE)),
    );
    expect(tooLong.map((key) => `${key} ${widthOf(file[key])}: ${file[key]}`)).toEqual([]);
  });

  it.each(files.filter(([name]) => name !== 'en.json'))('%s is translated', (_, file) => {
    /** Words and notations that languages share. */
    const shared: readonly TextKey[] = [
      'rateOf',
      'rateSource',
      'date',
      'transaction',
      'contact',
      'confirming',
    ];
    const same = TEXT_KEYS.filter((key) => file[key] === english[key] && !shared.includes(key));
    expect(same).toEqual([]);
  });
});

describe('the time left', () => {
  it.each([
    [-5, 'less than a minute'],
    [0, 'less than a minute'],
    [59, 'less than a minute'],
    [60, '1 minute'],
    [61, '2 minutes'],
    [899, '15 minutes'],
    [3599, '1 hour'],
    [3600, '1 hour'],
    [5400, '1 hour, 30 minutes'],
    [172_799, '48 hours'],
    [172_800, '2 days'],
    [200_000, '2 days, 8 hours'],
    [432_000, '5 days'],
    [431_995, '5 days'],
    [864_000, '10 days'],
  ])('of %d s is %s', (seconds, text) => {
    expect(ENGLISH.duration(seconds)).toBe(text);
  });

  it('has the words and numerals of its language', () => {
    expect(GERMAN.duration(432_000)).toBe('5 Tage');
    expect(chooseTexts('ru').duration(21 * 60)).toBe('21 минута');
    expect(chooseTexts('ar').duration(21 * 60)).toBe('21 دقيقة');
  });
});

describe('amounts', () => {
  it('have a decimal point in every language, as wallets expect', () => {
    for (const texts of payLanguages().values())
      expect(texts.coins(amount(1_234_500_000_000_000n))).toContain('1234.5 XMR');
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import type { Amount } from '../../util/amount.js';
import { PACKAGE_ROOT } from '../../util/own-package.js';

/** Names of the texts of the pay pages. */
export const TEXT_KEYS = [
  // Heading of a page without an amount, then the headings of the states.
  ...(['anyAmount', 'waiting', 'partial', 'received', 'seen', 'confirming', 'paid', 'overpaid'] as const),
  ...(['expired', 'cancelled'] as const),
  // Explanations of the states.
  ...(['waitingDetail', 'openDetail', 'receivedDetail', 'seenDetail', 'confirmingDetail'] as const),
  ...(['paidDetail', 'expiredDetail', 'cancelledDetail', 'sendMissing', 'tooMuch'] as const),
  ...(['confirmationsName', 'tooLittle', 'tooLate', 'beforeCancel', 'locked'] as const),
  ...(['receivedSum', 'unminedPart', 'unminedAll', 'missing'] as const),
  // The section of the payment.
  ...(['code', 'openWallet', 'amount', 'missingAmount', 'address', 'copyAmount', 'copyAddress'] as const),
  ...(['copy', 'copied', 'timeLeft', 'lastMinute', 'back', 'autoBack', 'stay'] as const),
  ...(['receipt', 'date', 'price', 'rate', 'rateOf', 'rateSource', 'reference', 'transaction'] as const),
  ...(['print', 'contact', 'terms', 'refundComing', 'refundSent', 'refundAddress', 'refundAsk'] as const),
  ...(['save', 'saved', 'wrongAddress', 'ownAddress'] as const),
  ...(['notSynced', 'offline', 'reloads', 'notFound', 'notFoundHint', 'busy', 'busyHint'] as const),
] as const;
export type TextKey = (typeof TEXT_KEYS)[number];

/** Names of the texts that depend on a number. */
export const COUNTED_KEYS = ['confirmations', 'furtherTransactions'] as const;
export type CountedKey = (typeof COUNTED_KEYS)[number];

/** Texts of a language, as its file has them. Names in braces stand for values. */
export type LanguageFile = {
  /** Language tag of the texts. Source: BCP 47. */
  readonly lang: string;
  readonly direction: 'ltr' | 'rtl';
} & Readonly<Record<TextKey, string>> &
  Readonly<Record<CountedKey, Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>>;

/** Values of a text by the names in its braces. */
export type TextValues = Readonly<Record<string, string>>;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Time from which a duration is written in days and hours [s]. */
const DAYS_FROM = 2 * DAY;

const filled = (text: string, values: TextValues): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);

/** Writes an amount in the notation that wallets accept, in all languages: with a point, without trailing zeros. */
export const digitsOf = (value: Amount): string => formatCoins(value).replace(/\.?0+$/, '');

/** Texts of the pay pages in one language, and its notation of numbers, times and money. */
export class PayTexts {
  readonly #file: LanguageFile;
  /** Tag with the digits that wallets use: Arabic would otherwise have others in times than in amounts. */
  readonly #locale: string;
  readonly #units = new Map<string, Intl.NumberFormat>();
  readonly #money = new Map<string, Intl.NumberFormat>();
  // Most languages are never asked for, and each of these takes some 10 KiB.
  #plurals: Intl.PluralRules | undefined;
  #numbers: Intl.NumberFormat | undefined;
  #dates: Intl.DateTimeFormat | undefined;
  #list: Intl.ListFormat | undefined;

  constructor(file: LanguageFile) {
    this.#file = file;
    this.#locale = `${file.lang}-u-nu-latn`;
  }

  /** Language tag of the texts. */
  get lang(): string {
    return this.#file.lang;
  }

  get direction(): 'ltr' | 'rtl' {
    return this.#file.direction;
  }

  /** Returns a text. */
  text(key: TextKey, values: TextValues = {}): string {
    return filled(this.#file[key], values);
  }

  /** Returns a text in the form for a number. */
  counted(key: CountedKey, number: number, values: TextValues): string {
    this.#plurals ??= new Intl.PluralRules(this.#locale);
    const forms = this.#file[key];
    return filled(forms[this.#plurals.select(number)] ?? forms.other ?? '', values);
  }

  number(value: number): string {
    this.#numbers ??= new Intl.NumberFormat(this.#locale);
    return this.#numbers.format(value);
  }

  /** Writes an amount with its unit. Text from right to left is kept from reordering digits and unit. */
  coins(value: Amount): string {
    return this.isolated(`${digitsOf(value)} XMR`);
  }

  /** Marks a text that runs from left to right, inside a text from right to left. Source: Unicode TR 9, LRI and PDI. */
  isolated(text: string): string {
    return this.direction === 'rtl' ? `\u2066${text}\u2069` : text;
  }

  /** Writes a point in time with date and time of day, in UTC. @param time time [Unix s]. */
  date(time: number): string {
    this.#dates ??= new Intl.DateTimeFormat(this.#locale, {
      ...{ year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' },
      ...{ hourCycle: 'h23', timeZone: 'UTC', timeZoneName: 'short' },
    });
    return this.#dates.format(1000 * time);
  }

  /** Writes an amount of a currency. @param amount decimal number. */
  money(currency: string, amount: string): string {
    let format = this.#money.get(currency);
    if (format === undefined && /^[A-Z]{3}$/.test(currency)) {
      format = new Intl.NumberFormat(this.#locale, { style: 'currency', currency });
      this.#money.set(currency, format);
    }
    // Strings are formatted exactly, numbers as binary fractions.
    return this.isolated(format?.format(amount as `${number}`) ?? `${amount} ${currency}`);
  }

  /**
   * Writes a duration in words: in whole minutes, in hours and minutes, or in days and hours. Words need not change every
   * second: a page that stands still does not look broken. pages/pay.js writes the same words.
   * @param seconds duration [s].
   */
  duration(seconds: number): string {
    if (seconds < MINUTE) return this.text('lastMinute');
    const isLong = seconds >= DAYS_FROM;
    const [unit, part, small] = isLong ? ([HOUR, 'hour', 24] as const) : ([MINUTE, 'minute', 60] as const);
    const count = isLong ? Math.round(seconds / unit) : Math.ceil(seconds / unit);
    const whole = Math.floor(count / small);
    const texts = [
      ...(whole > 0 ? [this.#unit(isLong ? 'day' : 'hour', whole)] : []),
      ...(count % small > 0 ? [this.#unit(part, count % small)] : []),
    ];
    this.#list ??= new Intl.ListFormat(this.#locale, { type: 'unit' });
    return this.#list.format(texts);
  }

  /** Writes a number of seconds. */
  seconds(value: number): string {
    return this.#unit('second', value);
  }

  #unit(unit: string, value: number): string {
    const known = this.#units.get(unit);
    const format = known ?? new Intl.NumberFormat(this.#locale, { style: 'unit', unit, unitDisplay: 'long' });
    if (known === undefined) this.#units.set(unit, format);
    return format.format(value);
  }
}

const FOLDER = new URL('pages/languages/', PACKAGE_ROOT);

/** Languages of the pay pages by the first part of their tag, which is the name of the file. */
export type Languages = ReadonlyMap<string, PayTexts>;

let loaded: Languages | undefined;

/** Returns the languages of the pay pages, which are read once. */
export function payLanguages(): Languages {
  loaded ??= new Map(
    readdirSync(FOLDER)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => {
        const file = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as LanguageFile;
        return [name.slice(0, -'.json'.length), new PayTexts(file)];
      }),
  );
  return loaded;
}

/** Largest number of languages of a header that are read. */
const MAX_LANGUAGES = 20;

/** Returns the texts for a language tag. Every region and script of a language has the same texts. */
const textsFor = (languages: Languages, tag: string): PayTexts | undefined =>
  languages.get((tag.split('-', 1)[0] ?? '').toLowerCase());

/**
 * Chooses the texts of a page: by the language of the request, else by the header `Accept-Language`, else English. Source:
 * RFC 9110, section 12.5.4.
 * @param locale language tag of the request.
 */
export function chooseTexts(header = '', locale = ''): PayTexts {
  const languages = payLanguages();
  const asked = textsFor(languages, locale);
  if (asked !== undefined) return asked;
  let chosen: PayTexts | undefined;
  let best = 0;
  for (const item of header.split(',', MAX_LANGUAGES)) {
    const [, tag = '', quality = '1'] =
      /^\s*([a-z]{1,8}(?:-[a-z\d-]*)?)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i.exec(item) ?? [];
    const texts = textsFor(languages, tag);
    if (texts === undefined || Number(quality) <= best) continue;
    chosen = texts;
    best = Number(quality);
  }
  chosen ??= languages.get('en');
  if (chosen === undefined) throw new Error('pages/languages/en.json is missing');
  return chosen;
}

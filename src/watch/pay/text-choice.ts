import type { PayTexts } from './pay-texts.js';
import { GERMAN } from './texts-de.js';
import { ENGLISH } from './texts-en.js';

const ALL: readonly PayTexts[] = [ENGLISH, GERMAN];

/** Largest number of languages of a header that are read. */
const MAX_LANGUAGES = 20;

/**
 * Chooses the texts by the header `Accept-Language`; English ones if it prefers none of the languages.
 * Source: RFC 9110, section 12.5.4.
 */
export function chooseTexts(header = ''): PayTexts {
  let chosen = ENGLISH;
  let best = 0;
  for (const item of header.split(',', MAX_LANGUAGES)) {
    const [, language = '', quality = '1'] =
      /^\s*([a-z]{1,8})(?:-[a-z\d-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i.exec(item) ?? [];
    const texts = ALL.find(({ lang }) => lang === language.toLowerCase());
    if (texts === undefined || Number(quality) <= best) continue;
    chosen = texts;
    best = Number(quality);
  }
  return chosen;
}

import { describe, expect, it } from '@jest/globals';
import { chooseTexts } from '../../../src/watch/pay/pay-site.js';
import { GERMAN, ENGLISH } from '../../../src/watch/pay/pay-texts.js';

describe('the texts of a browser', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    ['fr,de;q=0.5,en;q=0.3', 'de'],
    ['en;q=0.2, de ; q=0.9', 'de'],
    ['de;q=0, en;q=0.1', 'en'],
    ['de;q=0', 'en'],
    ['fr', 'en'],
    ['*', 'en'],
    ['den', 'en'],
    ['de;q=9', 'en'],
    [`${'fr,'.repeat(30)}de`, 'en'],
  ])('with %p are in %s', (header, lang) => {
    expect(chooseTexts(header).lang).toBe(lang);
  });
});

describe('the German texts', () => {
  it('differ from the English ones, and leave none out', () => {
    expect(Object.keys(GERMAN).sort()).toEqual(Object.keys(ENGLISH).sort());
    const same = Object.entries(GERMAN).filter(
      ([name, text]) => text === ENGLISH[name as keyof typeof ENGLISH],
    );
    expect(same).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { Facts } from './facts.js';

const shown = (values: Record<string, string>): Map<string, string> => new Map(Object.entries(values));

describe('acknowledged facts', () => {
  it('are lost when the wallet shows another value or none', () => {
    const facts = new Facts();
    facts.acknowledge('label/1', 'shop');
    facts.acknowledge('label/2', 'till');
    expect(facts.check(shown({ 'label/1': 'other' }))).toEqual([
      { fact: 'label/1', shown: 'other', allowed: ['shop'] },
      { fact: 'label/2', shown: undefined, allowed: ['till'] },
    ]);
  });

  it('may have the value of an unanswered call', () => {
    const facts = new Facts();
    facts.acknowledge('label/1', 'old');
    facts.send('label/1', 'new');
    expect(facts.check(shown({ 'label/1': 'new' }))).toEqual([]);
    expect(facts.check(shown({ 'label/1': 'old' }))).toHaveLength(1);
  });

  it('keep their value when the call was refused', () => {
    const facts = new Facts();
    facts.acknowledge('label/1', 'old');
    facts.send('label/1', 'new');
    facts.refuse('label/1');
    expect(facts.check(shown({ 'label/1': 'new' }))).toHaveLength(1);
  });
});

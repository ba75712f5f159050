import { describe, expect, it } from '@jest/globals';
import { amount } from '../../../src/util/amount.js';
import { payoutCounts, waitingPayouts } from '../../../src/watch/status/payout-section.js';
import type { PayoutsView } from '../../../src/watch/status/payout-view.js';
import { CREATED } from '../../support/wallets/payouts.js';
import { shown } from './shown-payouts.js';

const flat = (text: string): string => text.replace(/\s+/g, ' ');

const all = (view: PayoutsView, withSums: boolean): string =>
  flat(`${payoutCounts(view).text}${waitingPayouts(view, withSums).text}`);

const section = (changes: Partial<PayoutsView> = {}, withSums = true): string =>
  all({ counts: new Map(), pauses: [], oldest: undefined, awaiting: [], ...changes }, withSums);

/** Texts that would change the page, or the direction of its texts, if they were not escaped. */
const HOSTILE = '"><script>alert(1)</script>\u202e&amp;\'';
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\u202e&amp;amp;&#39;';

describe('the section of payouts', () => {
  it('is hidden without payouts, in a place that the script of the page replaces', () => {
    expect(payoutCounts(undefined).text).toBe('<section id="payouts" data-live hidden></section>');
    expect(waitingPayouts(undefined, true).text).toBe(
      '<section id="waiting-payouts" data-live hidden></section>',
    );
    expect(section()).toMatch(/^<section id="payouts" data-live aria-labelledby="payouts-title">/);
  });

  it('counts the states that payouts have', () => {
    const text = section({ counts: new Map([['queued', 1200]]) });
    expect(text).toMatch(/<dt>Queued<\/dt> <dd>1,200<\/dd>/);
    expect(text.match(/<dt>/g)).toHaveLength(1);
  });

  it('shows the pauses of accounts and wallets with their reasons', () => {
    const pause = { wallet: 'shop', reason: HOSTILE, time: CREATED };
    const text = section({
      pauses: [
        { ...pause, account: -1 },
        { ...pause, account: 3 },
      ],
    });
    const link = '<a href="/status/item?kind=wallet&amp;wallet=shop"><bdi>shop</bdi></a>';
    expect(text).toContain(`${link} </p>`);
    expect(text).toContain(`${link}, account 3 </p>`);
    expect(text).toContain(`<bdi>${ESCAPED}</bdi>`);
    expect(text).toContain('2023-11-14 22:13:20 UTC');
    expect(section()).not.toContain('Pauses');
  });

  it('shows the oldest queued payout with what it waits for', () => {
    const text = section({
      oldest: shown('w-1', { reason: 'refused' }, { waitingFor: { kind: 'paused', reason: HOSTILE } }),
    });
    expect(text).toContain('Oldest in the queue');
    expect(text).toContain(`the node refused its batch; waits: payouts are paused: ${ESCAPED}`);
    expect(section()).not.toContain('Oldest');
  });

  it('shows the payouts to approve with links to them, and amounts only if it may', () => {
    const payment = { payout: 1, batch: 1, amount: amount(1n), fee: amount(1n), height: 99 };
    const text = section({
      awaiting: [
        shown('w-2', { state: 'mined', account: 4 }, { payment, confirmations: 2 }),
        shown(HOSTILE, { state: 'failed', reason: 'lost' }),
      ],
    });
    expect(text).toContain(
      '<a href="/status/item?kind=payout&amp;wallet=shop&amp;id=w-2"><bdi>w-2</bdi></a> <strong>\u22121 XMR</strong> <span class="badge plain">Mined</span> shop, account 4',
    );
    expect(section({ awaiting: [shown('w-2')] }, false)).not.toContain('XMR');
    expect(text).toContain('block 99, 2 confirmations');
    expect(text).toContain('<span class="badge bad">Failed</span>');
    expect(text).toContain(`<bdi>${ESCAPED}</bdi>`);
    expect(text).not.toContain('<script>');
  });
});

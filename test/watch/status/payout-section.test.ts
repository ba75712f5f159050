import { describe, expect, it } from '@jest/globals';
import { PAYOUT_STATES } from '../../../src/model/payout.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { amount } from '../../../src/util/amount.js';
import { payoutSearchSection, payoutSection } from '../../../src/watch/status/payout-section.js';
import type { PayoutSearch, PayoutsView } from '../../../src/watch/status/payout-view.js';
import { bytes } from '../../store/fixtures.js';
import { CREATED } from '../../support/wallets/payouts.js';
import { shown } from './shown-payouts.js';

const flat = (text: string): string => text.replace(/\s+/g, ' ');

const section = (changes: Partial<PayoutsView> = {}): string =>
  flat(payoutSection({ counts: new Map(), pauses: [], oldest: undefined, latest: [], ...changes }).text);

const search = (changes: Partial<PayoutSearch> = {}): string =>
  flat(payoutSearchSection({ text: 'w', found: [], hasMore: false, ...changes }).text);

/** Texts that would change the page, or the direction of its texts, if they were not escaped. */
const HOSTILE = '"><script>alert(1)</script>\u202e&amp;\'';
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\u202e&amp;amp;&#39;';

describe('the section of payouts', () => {
  it('is hidden without payouts, in a place that the script of the page replaces', () => {
    expect(payoutSection(undefined).text).toBe('<section id="payouts" data-live hidden></section>');
    expect(section()).toMatch(/^<section id="payouts" data-live aria-labelledby="payouts-title">/);
  });

  it('counts every state', () => {
    const text = section({ counts: new Map([['queued', 1200]]) });
    expect(text).toMatch(/<dt>Queued<\/dt> <dd>1,200<\/dd>/);
    expect(text).toMatch(/<dt>Failed<\/dt> <dd>0<\/dd>/);
    expect(text.match(/<dt>/g)).toHaveLength(PAYOUT_STATES.length);
  });

  it('shows the pauses of accounts and wallets with their reasons', () => {
    const pause = { wallet: 'shop', reason: HOSTILE, time: CREATED };
    const text = section({
      pauses: [
        { ...pause, account: -1 },
        { ...pause, account: 3 },
      ],
    });
    expect(text).toContain('> shop </p>');
    expect(text).toContain('> shop, account 3 </p>');
    expect(text).toContain(`<bdi>${ESCAPED}</bdi>`);
    expect(text).toContain('2023-11-14 22:13:20 UTC');
    expect(section()).not.toContain('Pauses');
  });

  it('shows the oldest queued payout with what it waits for', () => {
    const text = section({
      oldest: shown('w-1', { reason: 'refused' }, { waitingFor: { kind: 'paused', reason: HOSTILE } }),
    });
    expect(text).toContain('Oldest queued payout');
    expect(text).toContain(`the node refused its batch; waits: payouts are paused: ${ESCAPED}`);
    expect(section()).not.toContain('Oldest');
  });

  it('shows the latest payouts with their states and blocks', () => {
    const payment = { payout: 1, batch: 1, amount: amount(1n), fee: amount(1n), height: 99 };
    const text = section({
      latest: [
        shown('w-2', { state: 'mined', account: 4 }, { payment, confirmations: 2 }),
        shown(HOSTILE, { state: 'failed', reason: 'lost' }),
      ],
    });
    expect(text).toContain(
      '<strong>\u22121 XMR</strong> <span class="badge plain">Mined</span> shop, account 4',
    );
    expect(text).toContain('block 99, 2 confirmations');
    expect(text).toContain('<span class="badge bad">Failed</span>');
    expect(text).toContain(`<bdi>${ESCAPED}</bdi>`);
    expect(text).not.toContain('<script>');
  });
});

describe('the search for payouts', () => {
  it('is a form that works without a script, with a label and the searched text', () => {
    const text = flat(payoutSearchSection(undefined).text);
    expect(text).toContain('<form method="get" action="/status#find-payout" role="search">');
    expect(text).toMatch(/<label for="payout">[^<]+<\/label> <input id="payout" name="payout"/);
    expect(text).toContain('value=""');
    expect(text).not.toContain('role="status"');
    expect(search({ text: HOSTILE })).toContain(`value="${ESCAPED}"`);
    // The script of the page would replace the results of a live section.
    expect(text).not.toContain('data-live');
  });

  it('says that nothing was found', () => {
    expect(search()).toContain('No payout has this text in its id, address or reference.');
  });

  it('shows all facts of a payout', () => {
    const payment = {
      ...{ payout: 1, batch: 1, amount: amount(900_000_000_000n), fee: amount(100_000_000_000n) },
      ...{ height: 1234, txHash: bytes<Hash>(0xab) },
    };
    const text = search({
      found: [
        shown(
          'w-3',
          {
            state: 'confirmed',
            reference: HOSTILE,
            creator: 'clerk',
            notBefore: CREATED,
            changed: CREATED + 60,
          },
          { payment, confirmations: 12 },
        ),
      ],
    });
    for (const fact of [
      '<dt>Id</dt> <dd><bdi>w-3</bdi></dd>',
      `<dt>Reference</dt> <dd><bdi>${ESCAPED}</bdi></dd>`,
      '<dt>Address</dt> <dd>4w-3</dd>',
      '<dt>Received by the payee</dt> <dd>0.9 XMR</dd>',
      '<dt>Share of the fee</dt> <dd>0.1 XMR</dd>',
      `<dt>Transaction</dt> <dd>${'ab'.repeat(32)}</dd>`,
      '<dt>Block</dt> <dd>1,234</dd>',
      '<dt>Confirmations</dt> <dd>12</dd>',
      '<dt>Created by</dt> <dd><bdi>clerk</bdi></dd>',
      '2023-11-14 22:14:20 UTC',
    ])
      expect(text).toContain(fact);
    expect(text).toContain('<span class="badge good">Confirmed</span>');
    expect(text.replaceAll(' <', '<').replaceAll('> ', '>')).toContain('>1 payout<');
  });

  it('shows no payment of a payout that waits, and says so if there are more', () => {
    const text = search({
      found: [shown('w-4', {}, { waitingFor: { kind: 'node', reason: HOSTILE } })],
      hasMore: true,
    });
    expect(text).toContain(`waits: ${ESCAPED}`);
    expect(text).not.toContain('Confirmations');
    expect(text).not.toContain('Transaction');
    expect(text).toContain('The first 1 payout of more');
  });
});

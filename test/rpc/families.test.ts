import { describe, expect, it, test } from '@jest/globals';
import { FAMILIES } from '../../src/rpc/access/credential.js';
import { registry } from '../../src/rpc/registry.js';

const namesOf = (keep: (method: (typeof registry.methods)[number]) => boolean): string[] =>
  registry.methods
    .filter(keep)
    .map(({ name }) => name)
    .sort();

describe('families of methods', () => {
  test.each(registry.methods)('$name belongs to a family', ({ meta }) => {
    expect(FAMILIES).toContain(meta.family);
  });

  it('let reads be called with view, except for keys, links to pay to, and payment requests', () => {
    expect(namesOf(({ meta }) => !meta.restricted && meta.family !== 'view')).toEqual([
      'export_payment_requests',
      'get_payment_request',
      'get_tx_key',
      'list_payment_requests',
      'make_integrated_address',
      'make_uri',
    ]);
  });

  it('deny view every method that restricted mode refuses, except for reads', () => {
    expect(namesOf(({ meta }) => meta.restricted && meta.family === 'view')).toEqual([
      'describe_transfer',
      'list_wallets',
      'refresh',
      'verify',
    ]);
  });

  it('put every method that signs or relays into spend', () => {
    const paying = /^(transfer|transfer_split|sweep_.*|relay_tx|sign.*|submit_.*|freeze|thaw)$/;
    expect(namesOf(({ name, meta }) => paying.test(name) && meta.family !== 'spend')).toEqual([
      'submit_payout_batches',
    ]);
  });

  it('keep secrets, files and webhooks with admin', () => {
    const secret = /key$|wallet$|password|webhook|background|daemon|log|rescan|from_keys/;
    const others = namesOf(({ name, meta }) => secret.test(name) && meta.family !== 'admin');
    expect(others).toEqual(['check_tx_key']);
  });
});

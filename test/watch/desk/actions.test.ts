import { describe, expect, it } from '@jest/globals';
import { registry } from '../../../src/rpc/registry.js';
import { actionOf, ACTIONS, fieldsOf, type Action } from '../../../src/watch/desk/actions.js';
import { METHOD_OF } from '../../../src/watch/desk/items.js';

const VALUES: Record<string, string> = {
  ...{ id: 'p-1', until: '1800000000', terms: 'ab'.repeat(32), account: '3', webhook: 'cd'.repeat(16) },
  event: '77',
};

describe('the actions of the pages', () => {
  it.each(Object.entries(ACTIONS) as [string, Action][])(
    '%s calls a method that restricted servers refuse, with parameters that it takes',
    (_name, action) => {
      const method = registry.find(action.method);
      expect(method?.meta.restricted).toBe(true);
      const fields = fieldsOf(action, VALUES);
      expect(fields).toBeDefined();
      const params = action.params(fields ?? {});
      expect(() => method?.params?.parse(params)).not.toThrow();
      expect(action.question(fields ?? {})).toMatch(/\?/);
      expect(action.done(fields ?? {})).toMatch(/\.$/);
    },
  );

  it('are found by their own names alone', () => {
    expect(actionOf('cancel_request')).toBe(ACTIONS.cancel_request);
    for (const name of [undefined, '', 'transfer', '__proto__', 'toString'])
      expect(actionOf(name)).toBeUndefined();
  });

  it('need all of their fields, with numbers that can be', () => {
    const { extend_request: extend, send_payouts: send, resume_payouts: resume } = ACTIONS;
    expect(fieldsOf(extend, { id: 'a' })).toBeUndefined();
    for (const until of ['', '-1', '1e9', ' 1', '99999999999999999'])
      expect(fieldsOf(extend, { id: 'a', until })).toBeUndefined();
    expect(fieldsOf(send, { id: 'a', account: '4294967296' })).toBeUndefined();
    expect(fieldsOf(resume, { account: '', other: 'x' })).toEqual({ account: '' });
    expect(fieldsOf(extend, { id: 'a'.repeat(256), until: '1' })).toBeUndefined();
  });

  it('and the pages of things name methods that exist', () => {
    for (const method of Object.values(METHOD_OF)) expect(registry.find(method)?.name).toBe(method);
    for (const method of ['list_deliveries', 'list_webhooks', 'redeliver_webhook', 'create_address'])
      expect(registry.find(method)?.name).toBe(method);
  });
});

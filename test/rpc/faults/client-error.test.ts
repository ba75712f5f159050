import { describe, expect, it, test } from '@jest/globals';
import { DaemonError, type DaemonErrorKind } from '../../../src/daemon/errors.js';
import type { RpcError } from '../../../src/http/calls/errors.js';
import { toRpcError, type OwnErrors } from '../../../src/rpc/faults/client-error.js';
import { registry } from '../../../src/rpc/registry.js';
import { amount } from '../../../src/util/amount.js';
import { WalletError, type Fault } from '../../../src/model/wallet-error.js';

const AT = { daemonAddress: 'node:18081' };

const ownOf = (method: string): OwnErrors => registry.find(method) ?? {};

const errorOf = (cause: unknown, own: OwnErrors = {}): Pick<RpcError, 'code' | 'message' | 'data'> => {
  const error = toRpcError(cause, own, AT);
  if (error === undefined) throw new Error('a bug');
  const { code, message, data } = error;
  return { code, message, data };
};

const fault = (facts: Fault): WalletError => new WalletError(facts);

describe('an error', () => {
  it('has the message of upstream, and our sentence as its explanation', () => {
    const shortage: Fault = { kind: 'not_enough_money', available: amount(1n), needed: amount(2n) };
    expect(errorOf(fault(shortage))).toEqual({
      code: -17,
      message: 'not enough money',
      data: {
        explanation: 'not enough money: 0.000000000001 available, 0.000000000002 needed with the fee',
      },
    });
  });

  it('has no explanation equal to its message', () => {
    expect(errorOf(fault({ kind: 'invalid', reason: 'so it is' })).data).toBeUndefined();
  });

  it('has the message of its method where upstream has one', () => {
    const exists = fault({ kind: 'wallet_exists', name: 'shop' });
    expect(errorOf(exists, ownOf('create_wallet'))).toMatchObject({
      ...{ code: -21, message: 'Cannot create wallet. Already exists.' },
    });
    expect(errorOf(exists, ownOf('generate_from_keys'))).toMatchObject({
      ...{ code: -1, message: 'Wallet already exists.' },
    });
    const wrong = fault({ kind: 'wrong_address', reason: 'Invalid address', address: 'x' });
    expect(errorOf(wrong, ownOf('check_tx_key')).message).toBe('Invalid address');
    expect(errorOf(wrong, ownOf('transfer')).message).toBe('WALLET_RPC_ERROR_CODE_WRONG_ADDRESS: x');
  });

  it('truncates a long argument', () => {
    const wrong = fault({ kind: 'wrong_address', reason: 'Invalid address', address: 'x'.repeat(5000) });
    const { message } = errorOf(wrong, ownOf('transfer'));
    expect(message).toMatch(/^WALLET_RPC_ERROR_CODE_WRONG_ADDRESS: x{300,400}…$/);
  });

  it('lists all payments relayed before it', () => {
    const names = Array.from({ length: 50 }, (_, i) => i.toString(16).padStart(64, '0'));
    const text = `daemon is busy; relayed before it: ${names.join(', ')}`;
    expect(errorOf(fault({ kind: 'partly_relayed', reason: text, text })).message).toBe(text);
  });

  it('is not created for a bug', () => {
    expect(toRpcError(new TypeError('x'), {}, AT)).toBeUndefined();
  });
});

describe('an unreachable daemon', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

  test.each<DaemonErrorKind>(['unreachable', 'timeout', 'unauthorized', 'tls'])(
    'is an error without connection: %s',
    (kind) => {
      expect(errorOf(new DaemonError(kind, 'said so'))).toEqual({
        ...{ code: -38, message: 'no connection to daemon', data: { explanation: 'said so' } },
      });
    },
  );

  it('is explained with the error code of the operating system', () => {
    const error = new DaemonError('unreachable', 'no connection', { cause: refused });
    expect(errorOf(error).data).toEqual({ explanation: 'no connection (ECONNREFUSED)' });
  });

  test.each([
    ['refresh', -38, 'no connection to daemon'],
    ['check_reserve_proof', -1, 'Failed to connect to daemon: node:18081'],
    ['check_tx_key', -1, 'Failed to connect to daemon: node:18081'],
    ['get_tx_proof', -1, 'Failed to get transaction from daemon'],
    ['check_spend_proof', -1, 'no connection to daemon'],
    ['scan_tx', -1, 'Failed to get transaction from daemon'],
    ['relay_tx', -4, 'Failed to commit tx.'],
  ])('makes %s fail as upstream', (method, code, message) => {
    expect(errorOf(new DaemonError('unreachable', 'no connection'), ownOf(method))).toMatchObject({
      ...{ code, message },
    });
  });

  it('is distinguished from a busy one', () => {
    expect(errorOf(new DaemonError('busy', 'x'))).toMatchObject({ code: -3, message: 'daemon is busy' });
  });
});

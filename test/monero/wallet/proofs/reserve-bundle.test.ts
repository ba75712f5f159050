import { describe, expect, it } from '@jest/globals';
import { keccak } from '../../../../src/monero/crypto/keccak.js';
import { formatAddress } from '../../../../src/monero/cryptonote/address.js';
import { bundleStatement } from '../../../../src/monero/wallet/proofs/reserve-bundle.js';
import { reserveSums } from '../../../../src/monero/wallet/proofs/reserve-bundle-proof.js';
import { amount } from '../../../../src/util/amount.js';
import { toHex, utf8 } from '../../../../src/util/bytes.js';
import { bundleOutputs, oneAccount, twoAccounts } from '../bundle-fixture.js';

describe('the statement of a bundle', () => {
  it('names every fact, as docs/reserves.md describes it', () => {
    const list = [0, 1].flatMap((account) => [
      account === 0 ? 'account 0 325 5 320\n' : 'account 1 74 70 4\n',
      ...bundleOutputs
        .filter(({ subaddress }) => subaddress.major === account)
        .map(({ txHash, outputIndex, height, keyImage, amount: value, subaddress: { minor } }) =>
          [
            ...['output', toHex(txHash), outputIndex, height, toHex(keyImage), value, account],
            `${minor}\n`,
          ].join(' '),
        ),
    ]);
    expect(bundleStatement(twoAccounts)).toBe(
      [
        'reserve bundle 1',
        'network mainnet',
        `address ${formatAddress(twoAccounts.address)}`,
        'height 100',
        `block ${'03'.repeat(32)}`,
        'time 1767400000',
        'sums 399 75 324',
        `list ${toHex(keccak(utf8(list.join(''))))}`,
        'reserve_proof none',
        'message audit, ünïcode',
      ].join('\n'),
    );
    const proof = toHex(keccak(utf8(oneAccount.reserveProof ?? '')));
    expect(bundleStatement(oneAccount)).toContain(`\nreserve_proof ${proof}\n`);
  });
});

describe('the sums of a reserve', () => {
  const of = (height: number, unlockTime: bigint) => ({ amount: amount(7n), height, unlockTime });
  const sums = (...outputs: ReturnType<typeof of>[]) =>
    reserveSums(outputs, { height: 100, time: 1_700_000_000 });

  it.each([
    ['nothing', [], 0n, 0n],
    ['an output that is ten blocks old in the next block', [of(91, 0n)], 7n, 0n],
    ['a younger one', [of(92, 0n)], 0n, 7n],
    ['a lock until the next block', [of(10, 101n)], 7n, 0n],
    ['a longer lock', [of(10, 102n)], 0n, 7n],
    ['a lock until a date that has passed', [of(10, 1_700_000_000n)], 7n, 0n],
    ['a lock until a later date', [of(10, 1_800_000_000n)], 0n, 7n],
    ['one of each', [of(10, 0n), of(92, 0n)], 7n, 7n],
  ])('of %s', (_, outputs, unlocked, locked) => {
    expect(sums(...outputs)).toEqual({ total: unlocked + locked, unlocked, locked });
  });
});

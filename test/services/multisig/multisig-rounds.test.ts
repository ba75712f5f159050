import { describe, expect, it } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { nextMessage } from '../../../src/monero/wallet/multisig/account.js';
import { keystoreOf, NOWHERE, PASSWORD } from '../../support/wallets/keystores.js';
import {
  accountIn,
  openingMessages,
  owners,
  rng,
  rounds,
  SetupHome,
} from '../../support/wallets/multisig-setups.js';
import { fault, groupKeys, ownKeys } from '../../support/wallets/service-wallet.js';

const [own] = owners;
if (own === undefined) throw new Error('an owner');

/** Messages of all participants after a round. @param round 0: the first. */
const messagesOf = (round: number): string[] =>
  (rounds[round] ?? []).map((account) => nextMessage(account, rng));

/** The next round of a wallet that has passed some. */
const run = (round: number, texts: readonly string[], incomplete = false) =>
  new SetupHome(groupKeys(accountIn(round))).setup.exchange(texts, undefined, incomplete);

describe('a further round of the key exchange', () => {
  it('completes the shares, and the last one confirms the address of all', async () => {
    const { spendPublicKey, commonSecret } = accountIn(2);
    const viewPublicKey = publicKeyOf(commonSecret);
    const address = formatAddress({ network: 'mainnet', kind: 'standard', spendPublicKey, viewPublicKey });
    expect(await run(0, messagesOf(0))).toMatchObject({ ready: false, address });
    expect(await run(1, messagesOf(1))).toMatchObject({ ready: true, address });
  });

  it('gives the wallet the keys file of that round', async () => {
    const { setup, given } = new SetupHome(groupKeys(accountIn(0)));
    await setup.exchange(messagesOf(0), undefined, false);
    const { spendPublicKey, shares, signers, threshold, roundsPassed } = accountIn(1);
    expect(given).toEqual([
      expect.objectContaining({
        spendPublicKey,
        multisig: { shares, signers, threshold, roundsPassed, roundKeys: [] },
      }),
    ]);
  });

  it('needs the messages of all others, unless it may be incomplete and has some', async () => {
    const [, one = ''] = messagesOf(1);
    await expect(run(1, [one])).rejects.toMatchObject(
      fault({ kind: 'too_few_signers', needed: 2, given: 1 }),
    );
    for (const incomplete of [true, false])
      await expect(run(1, [], incomplete)).rejects.toMatchObject(
        fault({ kind: 'too_few_signers', needed: 2, given: 0 }),
      );
    await expect(run(1, [one], true)).resolves.toMatchObject({ ready: true });
  });

  it('is refused for messages of another round, and once the exchange is complete', async () => {
    const refused = { fault: { kind: 'multisig_refused' } };
    await expect(run(0, messagesOf(1))).rejects.toMatchObject(refused);
    await expect(run(2, messagesOf(1))).rejects.toMatchObject(refused);
  });

  it('is refused in a wallet of one owner', async () => {
    const { setup } = new SetupHome(ownKeys(own));
    await expect(setup.exchange(openingMessages, undefined, false)).rejects.toMatchObject(
      fault({ kind: 'not_multisig' }),
    );
  });

  it('asks for the password of a wallet file, before it looks at the messages', async () => {
    const keys = groupKeys(accountIn(1));
    const keystore = keystoreOf(keys.keys, { file: keys.keysFile, paths: NOWHERE });
    const { setup, given } = new SetupHome(keys, { keystore });
    await expect(setup.exchange(['a', 'b'], `${PASSWORD}!`, false)).rejects.toMatchObject(
      fault({ kind: 'wrong_password' }),
    );
    await setup.exchange(messagesOf(1), PASSWORD, false);
    expect(given).toHaveLength(1);
  });
});

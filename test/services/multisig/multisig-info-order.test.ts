import { describe, expect, it } from '@jest/globals';
import { signerInfo } from '../../../src/monero/wallet/multisig/info.js';
import type { KeyImage } from '../../../src/monero/crypto/types.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import type { MultisigAccount } from '../../../src/monero/wallet/multisig/account.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { GroupMember, groupWallets } from '../../support/wallets/group-wallets.js';
import { CHAIN_HEIGHT } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { groupKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';

const rng = seededRng('multisig info order');

/** A member that has received outputs, the first one in block 1. */
function member(
  account: MultisigAccount | undefined,
  outputs: readonly (OwnedOutput | undefined)[],
): GroupMember {
  if (account === undefined) throw new Error('a member');
  const wallet = new ServiceWallet(groupKeys(account));
  wallet.receive(
    outputs.flatMap((output, i) => (output === undefined ? [] : { ...output, height: i + 1 })),
    CHAIN_HEIGHT,
  );
  return new GroupMember(wallet);
}

const exported = async ({ info }: GroupMember): Promise<string> => toHex(await info.export());

/** The same info as the reference exports it, which names no outputs. */
async function unnamed(text: string, { wallet }: GroupMember): Promise<string> {
  const info = decode(signerInfo, await wallet.exports.open('multisigInfo', fromHex(text)));
  const outputs = info.outputs.map((one) => ({ ...one, nonces: one.nonces.slice(0, -1) }));
  return toHex(await wallet.exports.seal('multisigInfo', encode(signerInfo, { ...info, outputs })));
}

/** Key images by output key in hex. */
const imagesOf = ({ wallet }: GroupMember): Map<string, KeyImage | undefined> =>
  new Map(
    wallet.store.read((r) =>
      r.outputs.inOrder().map(({ publicKey, keyImage }) => [toHex(publicKey), keyImage]),
    ),
  );

describe.each([
  [2, 2],
  [2, 3],
])('multisig info in a group of %i of %i', (m, n) => {
  const accounts = groupOf(randomSigners(n, rng), m, rng);
  const [first, second, third] = groupWallets(m, n, [1n, 2n, 3n], rng, accounts).outputs;

  /** Key images that the first member computes where no block is replaced. */
  const right = async () => {
    const a = member(accounts[0], [first, second, third]);
    await a.info.import([await exported(member(accounts[1], [first, second, third]))], false);
    return imagesOf(a);
  };

  it('belongs to the outputs that it names, where they changed places since the export', async () => {
    const info = await exported(member(accounts[1], [first, second, third]));
    const a = member(accounts[0], [first, third, second]);
    expect(await a.info.import([info], false)).toBe(3);
    expect(new Map([...imagesOf(a)].sort())).toEqual(new Map([...(await right())].sort()));
  });

  it('belongs to the outputs that it names, where one of them was undone or was found since the export', async () => {
    const images = await right();
    const name = toHex(second?.publicKey ?? new Uint8Array());
    const undone = member(accounts[0], [first, third]);
    expect(
      await undone.info.import([await exported(member(accounts[1], [first, second, third]))], false),
    ).toBe(2);
    expect(imagesOf(undone)).toEqual(new Map([...images].filter(([key]) => key !== name)));
    const found = member(accounts[0], [first, second, third]);
    expect(await found.info.import([await exported(member(accounts[1], [first, third]))], false)).toBe(2);
    expect(imagesOf(found)).toEqual(
      new Map([...images].map(([key, image]) => [key, key === name ? undefined : image])),
    );
  });

  it('that names no outputs belongs to those at its places', async () => {
    const b = member(accounts[1], [first, second, third]);
    const a = member(accounts[0], [first, second, third]);
    expect(await a.info.import([await unnamed(await exported(b), b)], false)).toBe(3);
    expect(imagesOf(a)).toEqual(await right());
  });

  it('that names no outputs is refused where it contradicts earlier info, and taken after a hard rescan', async () => {
    const b = member(accounts[1], [first, third, second]);
    const a = member(accounts[0], [first, second, third]);
    await a.info.import([await exported(member(accounts[1], [first, second, third]))], false);
    const before = imagesOf(a);
    const stale = await unnamed(await exported(b), b);
    await expect(a.info.import([stale], false)).rejects.toMatchObject({
      fault: { kind: 'multisig_refused' },
    });
    expect(imagesOf(a)).toEqual(before);
    a.wallet.store.write((w) => clearChain(w, { hard: true }));
    a.wallet.receive(
      [first, third, second].flatMap((output, i) =>
        output === undefined ? [] : { ...output, height: i + 1 },
      ),
      CHAIN_HEIGHT,
    );
    expect(await a.info.import([stale], false)).toBe(3);
    expect(new Map([...imagesOf(a)].sort())).toEqual(new Map([...before].sort()));
  });
});

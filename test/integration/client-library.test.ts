import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  connectToWalletRpc,
  MoneroMessageSignatureType,
  type MoneroRpcError,
  type MoneroTxWallet,
  type MoneroWalletRpc,
} from 'monero-ts';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

/*
 * The server through monero-ts, a widely used client library: all its wallet calls, with a login, over one chain. The
 * tests build on each other in order.
 */

const XMR = 1_000_000_000_000n;
/** Seed from the reference's own tests. */
const SEED =
  'velvet lymph giddy number token physics poetry unquoted nibs useful sabotage limits benches lifestyle eden nitrogen anvil fewest avoid batch vials washing fences goat unquoted';
const ADDRESS =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';
const STRANGER =
  '44Kbx4sJ7JDRDV5aAhLJzQCjDz2ViLRduE3ijDZu3osWKBjMGkV1XPk4pfDUMqt1Aiezvephdqm6YD19GKFD9ZcXVUTp6BW';

let daemon: Monerod;
let server: WalletRpc;
let wallet: MoneroWalletRpc;

const confirm = async (blocks: number): Promise<void> => {
  await daemon.generate(STRANGER, blocks);
  await wallet.sync();
};

const refusal = async (attempt: Promise<unknown>): Promise<MoneroRpcError> => {
  try {
    await attempt;
  } catch (error) {
    return error as MoneroRpcError;
  }
  throw new Error('it was not refused');
};

/** The library logs unknown fields of an answer. */
const complaints = jest.spyOn(console, 'log').mockImplementation(() => undefined);

beforeAll(async () => {
  daemon = await startMonerod();
  server = await startWalletRpc({
    daemon: daemon.address,
    args: ['--rpc-login=shop:secret', '--api-version=1.32'],
  });
  wallet = await connectToWalletRpc(`http://127.0.0.1:${server.port}`, 'shop', 'secret');
});

afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
});

describe('files', () => {
  itAtNight('report that no wallet is open, and why one cannot be opened', async () => {
    expect(await wallet.isClosed()).toBe(true);
    expect((await refusal(wallet.openWallet('missing', ''))).getCode()).toBe(-1);
    expect((await refusal(wallet.createWallet({ path: 'w', seed: 'abbey abbey abbey' }))).message).toBe(
      'Invalid mnemonic',
    );
  });

  it('are created, restored and opened', async () => {
    await wallet.createWallet({ path: 'fresh', password: 'one', language: 'Dutch' });
    expect((await wallet.getSeed()).split(' ')).toHaveLength(25);
    expect((await refusal(wallet.createWallet({ path: 'fresh', password: '' }))).message).toBe(
      'Wallet already exists: fresh',
    );
    await wallet.createWallet({ path: 'shop', password: 'two', seed: SEED, restoreHeight: 0 });
    expect(await wallet.getPrimaryAddress()).toBe(ADDRESS);
    expect(await wallet.getSeed()).toBe(SEED);
    expect(await wallet.getPrivateSpendKey()).toHaveLength(64);
    await wallet.createWallet({
      path: 'watch',
      password: '',
      primaryAddress: ADDRESS,
      privateViewKey: await wallet.getPrivateViewKey(),
      restoreHeight: 0,
    });
    expect(await wallet.isViewOnly()).toBe(true);
    await wallet.close();
    expect(await wallet.isClosed()).toBe(true);
    await wallet.openWallet('shop', 'two');
    expect(await wallet.isViewOnly()).toBe(false);
    await wallet.changePassword('two', 'three');
    await wallet.close(true);
    expect((await refusal(wallet.openWallet('shop', 'two'))).getCode()).toBe(-1);
    await wallet.openWallet({ path: 'shop', password: 'three' });
  });

  itAtNight('connect to the daemon, and report when there is none', async () => {
    expect(await wallet.isConnectedToDaemon()).toBe(true);
    await wallet.setDaemonConnection('http://127.0.0.1:1');
    expect(await wallet.isConnectedToDaemon()).toBe(false);
    await wallet.setDaemonConnection(`http://${daemon.address}`, true);
    expect(await wallet.isConnectedToDaemon()).toBe(true);
    expect((await wallet.getVersion()).getNumber()).toBeGreaterThan(65_536);
    expect(await wallet.getSeedLanguages()).toContain('Esperanto');
  });
});

describe('money', () => {
  let sent: MoneroTxWallet;

  it('is found by a sync', async () => {
    await daemon.generate(ADDRESS, 80);
    await wallet.sync();
    expect(await wallet.getHeight()).toBe(81);
    const unlocked = await wallet.getUnlockedBalance();
    expect(unlocked).toBeGreaterThan(XMR);
    expect(await wallet.getBalance()).toBeGreaterThan(unlocked);
    const txs = await wallet.getTxs();
    expect(txs).toHaveLength(80);
    expect(txs.every((tx) => tx.getIsMinerTx() && tx.getIsConfirmed())).toBe(true);
  });

  it('is paid to another wallet and to an own account, and listed while pending', async () => {
    const savings = await wallet.createAccount('savings');
    const order = await wallet.createSubaddress(1, 'order 1');
    sent = await wallet.createTx({
      accountIndex: 0,
      destinations: [
        { address: STRANGER, amount: XMR },
        { address: order.getAddress(), amount: 2n * XMR },
      ],
      relay: true,
    });
    expect(sent.getOutgoingAmount()).toBe(3n * XMR);
    expect(sent.getFee()).toBeGreaterThan(0n);
    // One key per output: a subaddress is among the payees.
    expect(sent.getKey()).toHaveLength(4 * 64);

    const pending = await wallet.getTx(sent.getHash());
    expect(pending?.getInTxPool()).toBe(true);
    expect(pending?.getOutgoingTransfer().getDestinations()).toHaveLength(2);
    await confirm(1);
    const mined = await wallet.getTx(sent.getHash());
    expect(mined?.getIsConfirmed()).toBe(true);
    expect(mined?.getIsLocked()).toBe(true);
    await confirm(10);
    expect(await wallet.getBalance(1)).toBe(2n * XMR);
    expect(await wallet.getUnlockedBalance(1, 1)).toBe(2n * XMR);
    const [account] = (await wallet.getAccounts(true)).slice(1);
    expect(account?.getPrimaryAddress()).toBe(savings.getPrimaryAddress());
    expect(account?.getSubaddresses()[0]?.getLabel()).toBe('savings');
    expect(account?.getSubaddresses()[1]).toMatchObject({
      address: order.getAddress(),
      label: 'order 1',
      isUsed: true,
      balance: 2n * XMR,
    });
  });

  it('is listed as incoming and outgoing transfers', async () => {
    const incoming = await wallet.getIncomingTransfers({ accountIndex: 1 });
    expect(incoming.map((transfer) => [transfer.getAmount(), transfer.getSubaddressIndex()])).toEqual([
      [2n * XMR, 1],
    ]);
    const outgoing = await wallet.getOutgoingTransfers({});
    expect(outgoing.map((transfer) => [transfer.getTx().getHash(), transfer.getAmount()])).toEqual([
      [sent.getHash(), 3n * XMR],
    ]);
    const outputs = await wallet.getOutputs({ accountIndex: 1 });
    expect(outputs).toHaveLength(1);
    expect(outputs[0]?.getIsSpent()).toBe(false);
    expect(outputs[0]?.getSubaddressIndex()).toBe(1);
    expect((await wallet.getOutputs({ isSpent: true })).length).toBeGreaterThan(0);
  });

  it('is relayed later on request, also in several transactions', async () => {
    const [tx] = await wallet.createTxs({
      accountIndex: 0,
      address: STRANGER,
      amount: XMR,
      canSplit: true,
      relay: false,
    });
    expect(tx?.getIsRelayed()).toBe(false);
    expect(tx?.getMetadata().length).toBeGreaterThan(1000);
    const before = await wallet.getBalance();
    expect(await wallet.relayTx(tx as MoneroTxWallet)).toBe(tx?.getHash());
    expect(await wallet.getBalance()).toBeLessThan(before);
    await confirm(1);
    expect((await wallet.getTx(tx?.getHash() ?? ''))?.getIsConfirmed()).toBe(true);
  });

  itAtNight('of a frozen output cannot be spent, and is swept once thawed', async () => {
    const [output] = await wallet.getOutputs({ accountIndex: 1, isSpent: false });
    const image = output?.getKeyImage().getHex() ?? '';
    await wallet.freezeOutput(image);
    expect(await wallet.isOutputFrozen(image)).toBe(true);
    await refusal(wallet.sweepUnlocked({ accountIndex: 1, address: STRANGER, relay: true }));
    await wallet.thawOutput(image);
    const single = await wallet.sweepOutput({ keyImage: image, address: STRANGER, relay: false });
    expect(single.getOutgoingAmount() + single.getFee()).toBe(2n * XMR);
    const [swept] = await wallet.sweepUnlocked({ accountIndex: 1, address: STRANGER, relay: true });
    expect((swept?.getOutgoingAmount() ?? 0n) + (swept?.getFee() ?? 0n)).toBe(2n * XMR);
    expect(await wallet.getBalance(1)).toBe(0n);
    await confirm(1);
    expect(await wallet.sweepDust(true)).toEqual([]);
  });

  it('beyond the balance cannot be paid', async () => {
    const much = { accountIndex: 0, address: STRANGER, amount: 10n ** 19n };
    expect((await refusal(wallet.createTx(much))).getCode()).toBe(-17);
    const nowhere = { accountIndex: 0, address: 'nowhere', amount: XMR };
    expect((await refusal(wallet.createTx(nowhere))).message).toContain('ddress');
  });

  it('can be proven', async () => {
    const hash = sent.getHash();
    const key = await wallet.getTxKey(hash);
    const received = await wallet.checkTxKey(hash, key, STRANGER);
    expect([received.getIsGood(), received.getReceivedAmount()]).toEqual([true, XMR]);
    const proof = await wallet.getTxProof(hash, STRANGER, 'order 1');
    expect((await wallet.checkTxProof(hash, STRANGER, 'order 1', proof)).getIsGood()).toBe(true);
    expect((await wallet.checkTxProof(hash, STRANGER, 'order 2', proof)).getIsGood()).toBe(false);
    const spend = await wallet.getSpendProof(hash, 'mine');
    expect(await wallet.checkSpendProof(hash, 'mine', spend)).toBe(true);
    expect(await wallet.checkSpendProof(hash, 'yours', spend)).toBe(false);
    const reserve = await wallet.getReserveProofAccount(0, XMR, 'solvent');
    const checked = await wallet.checkReserveProof(ADDRESS, 'solvent', reserve);
    expect(checked.getIsGood()).toBe(true);
    expect(checked.getTotalAmount()).toBeGreaterThanOrEqual(XMR);
    expect((await wallet.checkReserveProof(ADDRESS, 'other', reserve)).getIsGood()).toBe(false);
  });

  it('is the same after a rescan, and after a scan of single transactions', async () => {
    const before = await wallet.getBalance();
    await wallet.rescanSpent();
    await wallet.scanTxs([sent.getHash()]);
    await wallet.rescanBlockchain();
    expect(await wallet.getBalance()).toBe(before);
  });
});

describe('records', () => {
  it('include notes, attributes and labels', async () => {
    const [tx] = await wallet.getTxs({ isOutgoing: true });
    const hash = tx?.getHash() ?? '';
    await wallet.setTxNote(hash, 'an order');
    expect(await wallet.getTxNote(hash)).toBe('an order');
    await wallet.setAttribute('shop', 'open');
    expect(await wallet.getAttribute('shop')).toBe('open');
    expect(await wallet.getAttribute('missing')).toBeFalsy();
    await wallet.setSubaddressLabel(0, 0, 'till');
    expect((await wallet.getSubaddress(0, 0)).getLabel()).toBe('till');
  });

  it('include an address book', async () => {
    const index = await wallet.addAddressBookEntry(STRANGER, 'a friend');
    await wallet.editAddressBookEntry(index, false, undefined, true, 'a friend');
    const [entry] = await wallet.getAddressBookEntries();
    expect([entry?.getAddress(), entry?.getDescription()]).toEqual([STRANGER, 'a friend']);
    await wallet.deleteAddressBookEntry(index);
    expect(await wallet.getAddressBookEntries()).toEqual([]);
  });

  it('include account tags', async () => {
    await wallet.tagAccounts('cold', [1]);
    await wallet.setAccountTagLabel('cold', 'put away');
    const [tag] = await wallet.getAccountTags();
    expect(tag).toMatchObject({ tag: 'cold', label: 'put away', accountIndices: [1] });
    expect(await wallet.getAccounts(false, 'cold')).toHaveLength(1);
    await wallet.untagAccounts([1]);
    expect(await wallet.getAccountTags()).toEqual([]);
  });

  it('include integrated addresses and payment links', async () => {
    const integrated = await wallet.getIntegratedAddress(undefined, '03284e41c342f036');
    const decoded = await wallet.decodeIntegratedAddress(integrated.getIntegratedAddress());
    expect([decoded.getStandardAddress(), decoded.getPaymentId()]).toEqual([ADDRESS, '03284e41c342f036']);
    expect((await refusal(wallet.getIntegratedAddress(undefined, 'zz'))).message).toBe(
      'Invalid payment ID: zz',
    );
    expect((await wallet.getAddressIndex(await wallet.getAddress(1, 1))).getIndex()).toBe(1);
    const link = await wallet.getPaymentUri({ address: STRANGER, amount: XMR, note: 'tea & cake' } as never);
    const parsed = await wallet.parsePaymentUri(link);
    expect([parsed.getAddress(), parsed.getAmount(), parsed.getNote()]).toEqual([
      STRANGER,
      XMR,
      'tea & cake',
    ]);
  });

  it.each([
    ['spend', MoneroMessageSignatureType.SIGN_WITH_SPEND_KEY],
    ['view', MoneroMessageSignatureType.SIGN_WITH_VIEW_KEY],
  ])('signs with the %s key', async (_, type) => {
    const signature = await wallet.signMessage('a text', type, 1, 1);
    const address = await wallet.getAddress(1, 1);
    const good = await wallet.verifyMessage('a text', address, signature);
    expect([good.getIsGood(), good.getSignatureType()]).toEqual([true, type]);
    expect((await wallet.verifyMessage('another', address, signature)).getIsGood()).toBe(false);
  });
});

describe('a wallet without its spend key', () => {
  it('imports key images, has its payment signed by the other wallet, and submits it', async () => {
    const outputs = await wallet.exportOutputs(true);
    const images = (await wallet.exportKeyImages(true)).getKeyImages();
    const balance = await wallet.getBalance();
    expect(images.length).toBeGreaterThan(80);
    expect(outputs.length).toBeGreaterThan(1000);

    await wallet.openWallet('watch', '');
    await wallet.sync();
    const imported = await wallet.importKeyImages(images);
    expect(imported.getSpentAmount()).toBeGreaterThan(0n);
    expect(await wallet.getBalance()).toBe(balance);
    await daemon.generate(STRANGER, 12);
    await wallet.sync();
    const unsigned = await wallet.createTx({ accountIndex: 0, address: STRANGER, amount: XMR });
    const text = unsigned.getTxSet().getUnsignedTxHex();

    await wallet.openWallet('shop', 'three');
    const described = await wallet.describeTxSet(unsigned.getTxSet());
    expect(described.getTxs()[0]?.getOutgoingTransfer().getDestinations()).toMatchObject([
      { address: STRANGER, amount: XMR },
    ]);
    const signed = await wallet.signTxs(text);

    await wallet.openWallet('watch', '');
    const [hash] = await wallet.submitTxs(signed.getSignedTxHex());
    await confirm(1);
    expect((await wallet.getTx(hash ?? ''))?.getIsConfirmed()).toBe(true);
  });

  it('found no unknown field in any answer', () => {
    expect(complaints.mock.calls).toEqual([]);
  });

  it('can be closed, and the server stopped', async () => {
    await wallet.save();
    await wallet.stop();
    expect(await server.process.exited).toBe(0);
  });
});

import { post, result, type Loose } from '../support/network/json-rpc.js';

/*
 * Makes the wallet of the tests of monero-ts and a chain that has all that they look for; prints its address and that of
 * another wallet. Arguments: port of the daemon, port of a wallet server without a login.
 */

/** Name, password, seed and height of the first payment: TestUtils.ts. */
const NAME = 'test_wallet_1';
const PASSWORD = 'supersecretpassword123';
const SEED =
  'silk mocked cucumber lettuce hope adrenalin aching lush roles fuel revamp baptism wrist long tender teardrop midst ' +
  'pastry pigment equip frying inbound pinched ravine frying';
const FIRST_RECEIVE_HEIGHT = 171;

const [daemonPort, walletPort] = process.argv.slice(2).map(Number) as [number, number];
const rpc = (method: string, params: unknown = {}): Promise<Loose> => result(walletPort, method, params);

/** Address and XMR. */
type Payment = readonly [address: string, xmr: number];

const pay = (account: number, payments: readonly Payment[]): Promise<Loose> =>
  rpc('transfer', {
    account_index: account,
    destinations: payments.map(([address, xmr]) => ({ address, amount: Math.round(xmr * 1e12) })),
  });

const integrated = async (): Promise<string> => (await rpc('make_integrated_address')).integrated_address;

async function mine(address: string, blocks: number): Promise<void> {
  await result(daemonPort, 'generateblocks', { amount_of_blocks: blocks, wallet_address: address });
}

/** Other parties, as addresses of one wallet. */
async function makeOthers(): Promise<{ address: string; subaddresses: string[]; withIds: string[] }> {
  await rpc('create_wallet', { filename: 'others', password: '', language: 'English' });
  const { address } = await rpc('get_address');
  const { addresses: subaddresses } = await rpc('create_address', { account_index: 0, count: 3 });
  return { address, subaddresses, withIds: await Promise.all([0, 1, 2, 3].map(integrated)) };
}

/** Addresses of five accounts, five each. */
async function makeAccounts(primary: string): Promise<string[][]> {
  const accounts: string[][] = [];
  for (let account = 0; account < 5; account++) {
    const first = account === 0 ? primary : (await rpc('create_account', {})).address;
    const { addresses } = await rpc('create_address', { account_index: account, count: 4 });
    accounts.push([first, ...addresses]);
  }
  return accounts;
}

const others = await makeOthers();
await mine(others.address, FIRST_RECEIVE_HEIGHT - 1);
await rpc('restore_deterministic_wallet', {
  filename: NAME,
  password: PASSWORD,
  seed: SEED,
  restore_height: FIRST_RECEIVE_HEIGHT,
});
const { address: own } = await rpc('get_address');
await mine(own, 60);
/** Mines until all outputs of the wallet can be spent. */
const settle = async (blocks = 10): Promise<void> => {
  await mine(others.address, blocks);
  await rpc('refresh');
};
await settle(70);

const accounts = await makeAccounts(own);
const all = accounts.flat();
// Three outputs for every address. A transaction has at most 16 outputs.
for (let round = 0; round < 3; round++) {
  await pay(
    0,
    all.slice(0, 13).map((address, i) => [address, 3 + round + i / 4]),
  );
  await pay(
    0,
    all.slice(13).map((address, i) => [address, 3 + round + i / 4]),
  );
  await settle();
}
// To others, from four accounts: with one destination, with several, with a payment id.
for (const [account, withId] of others.withIds.entries()) {
  await pay(account, [[others.address, 0.5]]);
  await settle();
  await pay(
    account,
    others.subaddresses.map((address, i) => [address, 0.1 + i / 10]),
  );
  await settle();
  await pay(account, [[withId, 0.25]]);
  await settle();
}
// To itself: with a payment id, and between accounts.
for (let round = 0; round < 3; round++) {
  await pay(0, [[await integrated(), 0.4]]);
  await pay(
    2,
    [0, 1].flatMap((account) => accounts[account]?.slice(1, 3) ?? []).map((address) => [address, 0.4]),
  );
  await settle();
}
const ownWithIds = [await integrated(), await integrated(), await integrated()];

await rpc('open_wallet', { filename: 'others', password: '' });
await rpc('refresh');
for (const address of ownWithIds) await pay(0, [[address, 1]]);
await pay(
  0,
  all.slice(3, 9).map((address) => [address, 2]),
);
await settle(70);

await rpc('open_wallet', { filename: NAME, password: PASSWORD });
await rpc('refresh');
// Payments of the first tests must be mined before others compare balances. The tests end this, and start it themselves.
await post(daemonPort, '/start_mining', { miner_address: others.address, threads_count: 1 });
process.stdout.write(`${own}\n${others.address}\n`);

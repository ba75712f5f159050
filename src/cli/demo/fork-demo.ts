import * as z from 'zod';
import { FORK_RULES } from '../../monero/fork-rules.js';
import { short, until, type DemoNode, type DemoServer } from './demo-server.js';
import { DepositWatch, type Deposit } from './deposits.js';

/** Heights of the first blocks of version 17 and of version 18. */
export const FORK_HEIGHTS = { from: 100, only: 110 } as const;

/** Payees of one transaction, with amounts in atomic units. */
type Payees = readonly { readonly address: string; readonly amount: bigint }[];

/** Value of the option `--fork-rules`. */
type Rules = typeof FORK_RULES | 'none';

/** Parts of the demo of the fork. */
export interface ForkDemoParts {
  readonly node: DemoNode;
  /** Returns a wallet of the server that has the rules of the fork. */
  wallet(name: 'customer' | 'shop' | 'copy' | 'restored'): DemoServer;
  /** Reads the metrics of that server. */
  metrics(): Promise<string>;
  /** Starts another server, which has one wallet, with or without the rules; ends the one that was started so before. */
  restart(rules: Rules): Promise<DemoServer>;
}

/** Number of blocks after which the first rewards are unlocked, and enough outputs exist for decoys. */
const FIRST_BLOCKS = 80;
/** Number of blocks after which a received payment is unlocked. */
const LOCK_BLOCKS = 10;
const COIN = 1_000_000_000_000n;
/** Number of blocks before the fork that the reorganisation replaces, too. */
const REPLACED_BEFORE = 2;
/** Code of the error of a refused payment. */
const REFUSED = -4n;
/** Address of the miner, which is in no wallet of this server. */
const MINER =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

const nothing = z.unknown();
const address = z.object({ address: z.string() });
const integrated = z.object({ integrated_address: z.string(), payment_id: z.string() });
const secret = z.object({ key: z.string() });
const payment = z.object({ tx_hash: z.string() });
const bodies = z.object({ txs: z.array(z.object({ tx_hash: z.string(), as_hex: z.string() })) });
const accepted = z.object({ status: z.literal('OK') });
const count = z.object({ count: z.bigint() });
const top = z.object({ block_header: z.object({ height: z.bigint(), major_version: z.bigint() }) });
const fork = z.object({ height: z.bigint(), version: z.bigint() });
const height = z.object({ height: z.bigint(), update_needed: fork.optional() });
const payout = z.object({
  state: z.string(),
  waiting_for: z.object({ fork: fork.optional() }).optional(),
});
const results = z.object({ results: z.tuple([z.object({ payout })]) });

/**
 * Pays a shop before, across and after the fork, and compares it with its view-only copy; shows refused payments, a
 * reorganisation, a restored wallet, and a server without the rules; prints a description of each step.
 * @param say prints a line. @throws Error if a step fails.
 */
export async function runForkDemo(
  { node, wallet, metrics, restart }: ForkDemoParts,
  say: (line: string) => void,
): Promise<void> {
  const { from, only } = FORK_HEIGHTS;
  const [customer, shop, copy] = [wallet('customer'), wallet('shop'), wallet('copy')];
  const refresh = async (): Promise<void> => {
    await Promise.all([customer, shop, copy].map((server) => server.call('refresh', {}, nothing)));
  };
  const chainHeight = async (): Promise<number> =>
    Number((await node.call('get_block_count', {}, count)).count);
  const mine = async (blocks: number, to = MINER): Promise<void> => {
    await node.call('generateblocks', { amount_of_blocks: blocks, wallet_address: to }, nothing);
    await refresh();
  };
  const create = async (server: DemoServer): Promise<string> => {
    await server.call('create_wallet', { password: '', language: 'English' }, nothing);
    return (await server.call('get_address', {}, address)).address;
  };
  const secretOf = async (key_type: string): Promise<string> =>
    (await shop.call('query_key', { key_type }, secret)).key;
  const restore = async (server: DemoServer): Promise<void> => {
    const seed = await secretOf('mnemonic');
    await server.call('restore_deterministic_wallet', { seed, restore_height: 0, password: '' }, nothing);
  };

  say('1. A customer and a shop have wallets; a view-only copy of the shop has no spend key');
  const theirs = await create(customer);
  const main = await create(shop);
  const viewkey = await secretOf('view_key');
  await copy.call('generate_from_keys', { address: main, viewkey, restore_height: 0, password: '' }, nothing);
  const { address: sub } = await shop.call('create_address', {}, address);
  const { integrated_address: marked, payment_id: id } = await shop.call(
    'make_integrated_address',
    {},
    integrated,
  );
  say(`   main address        ${short(main)}`);
  say(`   subaddress          ${short(sub)}`);
  say(`   integrated address  ${short(marked)}`);
  const watch = new DepositWatch(shop, copy, id);
  const show = async (deposits: readonly Deposit[]): Promise<void> =>
    (await watch.describe(deposits)).forEach((line) => say(`   ${line}`));
  const deposits: Deposit[] = [];
  /** Pays in two transactions, follows them into a block of a version, and shows what the shop and its copy have then. */
  const deposit = async (
    version: bigint,
    pay: (to: Payees) => Promise<z.output<typeof payment>>,
  ): Promise<void> => {
    const payees = [
      { address: main, amount: COIN },
      { address: sub, amount: 2n * COIN },
    ];
    const hashes = [
      (await pay(payees)).tx_hash,
      (await pay([{ address: marked, amount: 3n * COIN }])).tx_hash,
    ];
    await refresh();
    await mine(1);
    const { txs } = await node.plain('/get_transactions', { txs_hashes: hashes }, bodies);
    const { block_header: newest } = await node.call('get_last_block_header', {}, top);
    const at = Number(newest.height);
    if (newest.major_version !== version)
      throw new Error(`block ${at} has version ${newest.major_version}, not ${version}`);
    for (const { tx_hash: hash, as_hex: blob } of txs) {
      const isMarked = hash === hashes[1];
      deposits.push({
        hash,
        blob,
        height: at,
        isMarked,
        amounts: isMarked ? [3n * COIN] : [COIN, 2n * COIN],
      });
    }
    say(`   block ${at}, version ${version}: ${hashes.map(short).join(', ')}`);
    await show(deposits);
  };
  const payInNewForm = (destinations: Payees) => node.call('pay_carrot', { destinations }, payment);

  say(
    `2. The node names block ${from} for version 17, and block ${only} for version 18; the server counts down`,
  );
  await mine(FIRST_BLOCKS, theirs);
  const left = `wallet_rpc_daemon_fork_blocks{version="17"} ${from - (await chainHeight())}`;
  await until(left, async () => (await metrics()).includes(`${left}\n`) || undefined);
  say(`   ${left}`);

  say('3. Before the fork the customer pays 1 XMR, 2 XMR and 3 XMR to the three addresses, in the old form');
  await deposit(16n, (destinations) => customer.call('transfer', { destinations }, payment));

  say(`4. Block ${from} is the first of the fork; the same addresses are paid in the new form`);
  await mine(from - (await chainHeight()));
  await deposit(17n, payInNewForm);

  say('5. The shop cannot pay: a transfer is refused, and a payout waits until it is cancelled');
  const order = { address: theirs, amount: COIN };
  const { code, message } = await shop.fails('transfer', { destinations: [order] });
  if (code !== REFUSED) throw new Error(`the transfer failed for another reason: ${message}`);
  say(`   ${code}: ${message}`);
  await shop.call('create_payouts', { payouts: [{ payout_id: 'w-1', ...order }] }, results);
  await shop.call('send_payouts', {}, nothing);
  const waits = await until('a payout that waits for the fork', async () => {
    const { waiting_for: reasons } = await shop.call('get_payout', { payout_id: 'w-1' }, payout);
    return reasons?.fork;
  });
  say(`   w-1 queued; waits because of the fork to version ${waits.version} at block ${waits.height}`);
  const ended = await shop.call('cancel_payouts', { payout_ids: ['w-1'] }, results);
  const [{ payout: after }] = ended.results;
  if (after.state !== 'cancelled') throw new Error(`the payout is ${after.state}`);
  say(`   w-1 ${after.state}`);

  say(`6. From block ${only} on there is the new form alone`);
  await mine(only - (await chainHeight()));
  await deposit(18n, payInNewForm);

  const depth = (await chainHeight()) - from + REPLACED_BEFORE;
  say(`7. The newest ${depth} blocks are replaced, from before the fork on: the deposits after it go`);
  await node.plain('/pop_blocks', { nblocks: depth }, accepted);
  await node.call('flush_txpool', {}, nothing);
  await mine(depth + 1);
  const replaced = deposits.filter(({ height: at }) => at >= from - REPLACED_BEFORE);
  await show(deposits.filter((one) => !replaced.includes(one)));
  for (const { blob: tx_as_hex } of replaced)
    await node.plain('/send_raw_transaction', { tx_as_hex, do_sanity_checks: false }, accepted);
  await refresh();
  await mine(LOCK_BLOCKS);
  say('   they are sent again, and mined: they come back');
  await show(deposits);

  say('8. A wallet that is restored from the seed finds the same');
  await restore(wallet('restored'));
  await wallet('restored').call('refresh', {}, nothing);
  say(`   restored   ${await watch.describeTwin(wallet('restored'))}`);

  say('9. A server without the rules stops at the fork, and goes on once it has them');
  const old = await restart('none');
  await restore(old);
  const stop = await old.fails('refresh', {});
  say(`   ${stop.code}: ${stop.message}`);
  const { height: blocks, update_needed: needed } = await old.call('get_height', {}, height);
  if (needed === undefined || blocks !== BigInt(from)) throw new Error(`it did not stop at block ${from}`);
  say(`   get_height: ${blocks} blocks, update_needed: version ${needed.version}`);
  const updated = await restart(FORK_RULES);
  await updated.call('open_wallet', { password: '' }, nothing);
  await updated.call('refresh', {}, nothing);
  say(`   restarted with --fork-rules ${FORK_RULES}`);
  say(`   updated    ${await watch.describeTwin(updated)}`);
}

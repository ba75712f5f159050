import { seededRandom, type Random } from '../support/fakes/seeded-random.js';
import type { WalletCalls } from '../support/network/json-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { Access, CREATOR } from './access.js';
import { ApprovalModel } from './approval-model.js';
import { ClusterPayer } from './cluster-payer.js';
import { ROOT, type Payer, type PayerOptions } from './payer.js';
import { PayoutStates } from './payout-states.js';
import type { RoundPlan } from './plan.js';
import { Requests, type OwnAddress, type PayeeAddress } from './requests.js';
import { noting, Round } from './round.js';
import { Signer } from './signer.js';
import { SinglePayer } from './single-payer.js';
import type { World } from './world.js';

const XMR = 1_000_000_000_000;
const SUBADDRESSES = 30;
const INTEGRATED = 4;
/** Number of own subaddresses of the first account that payouts pay. */
const OWN_SUBADDRESSES = 2;
/** Amount of an output of the payer, on average. */
const OUTPUT = 2 * XMR;
const NO_PAYMENT_ID = '0'.repeat(16);

/** Prepares the wallets of a round. */
export async function beginRound(world: World, seed: string, plan: RoundPlan): Promise<Round> {
  const random = seededRandom(`${seed}/deeds ${plan.round}`);
  const violations: string[] = [];
  const violate = noting(violations);
  const begun = await world.height();
  const name = `payer-${plan.round}`;
  const access = plan.kind === 'approved' ? await Access.create(name, random) : undefined;
  const payer = await startPayer(plan, random, {
    ...{ world, name, violate },
    ...(access === undefined ? {} : { tokens: access.tokens }),
    args: [
      `--payout-interval=${plan.interval}`,
      `--payout-confirmations=${plan.confirmations}`,
      `--payout-outputs=${plan.divides ? 0 : 1}`,
      ...(access === undefined ? [] : [access.flag, '--rpc-max-connections-per-private-ip=100']),
      ...(plan.kind === 'view-only' ? [`--payout-signing-time=${plan.signingTime}`] : []),
    ],
  });
  const cold = plan.kind === 'view-only' ? await world.cold(name) : undefined;
  const key = await createPayer(payer, cold, begun);
  const { address } = await payer.calls.rpc('get_address');
  const second = await payer.calls.rpc('create_account', {});
  await cold?.rpc('create_account', {});
  const addresses = [String(address), String(second.address)];
  const own = await ownAddresses(payer.calls, addresses);
  const payees = await payeesOf(world, `payees ${plan.round}`);
  await world.fund(addresses, plan.outputs, OUTPUT);
  const twin = await world.twin(`twin ${plan.round}`, key, begun);
  await payer.calls.rpc('refresh');
  const states = new PayoutStates(plan.confirmations, violate, cold !== undefined);
  const isKnown = async (hash: string): Promise<boolean> => (await world.transactions([hash])).size > 0;
  const requests = new Requests(random, { payees, own, creator: access === undefined ? ROOT : CREATOR });
  const expiryOf = (id: string): number | undefined =>
    requests.all.get(id)?.terms.expires_at as number | undefined;
  const signer = cold && new Signer({ payer, cold, states, violate, expiryOf, isKnown });
  await signer?.exchange();
  const round = new Round({
    ...{ world, plan, payer, twin, addresses, begun, violations, random, states, requests, seed: key },
    ...(access === undefined
      ? {}
      : { approval: { access, model: new ApprovalModel(access.rules, violate) } }),
    ...(signer === undefined ? {} : { signer }),
  });
  if (signer !== undefined) signer.read = round.readEvents;
  return round;
}

const startPayer = (plan: RoundPlan, random: Random, options: PayerOptions): Promise<Payer> =>
  plan.kind === 'cluster'
    ? ClusterPayer.start(options, `payouts_${plan.round}`, random)
    : SinglePayer.start(options);

/** Creates the paying wallet. @param cold wallet with its keys, if the payer is view-only. @returns its seed. */
async function createPayer(payer: Payer, cold: WalletCalls | undefined, height: number): Promise<string> {
  await createWallet(cold ?? payer.calls, '', payer.password);
  const owner = cold ?? payer.calls;
  const { key } = await owner.rpc('query_key', { key_type: 'mnemonic' });
  if (cold !== undefined) {
    const { address } = await cold.rpc('get_address');
    const { key: viewkey } = await cold.rpc('query_key', { key_type: 'view_key' });
    const keys = { address, viewkey, restore_height: height };
    await payer.calls.rpc('generate_from_keys', { ...keys, password: payer.password });
  }
  return String(key);
}

/** Creates the own addresses that payouts pay. */
async function ownAddresses(payer: WalletCalls, addresses: readonly string[]): Promise<OwnAddress[]> {
  const made = await payer.rpc('create_address', { account_index: 0, count: OWN_SUBADDRESSES });
  return [
    ...addresses.map((address, major) => ({ address, index: { major, minor: 0 } })),
    ...(made.addresses as string[]).map((address, i) => ({ address, index: { major: 0, minor: i + 1 } })),
  ];
}

/** Creates the wallet of the payees of a round. */
async function payeesOf({ payees }: World, name: string): Promise<PayeeAddress[]> {
  await createWallet(payees, name);
  const { address } = await payees.rpc('get_address');
  const made = await payees.rpc('create_address', { account_index: 0, count: SUBADDRESSES });
  const all = [{ address: String(address), key: `0 ${NO_PAYMENT_ID}` }];
  for (const [i, one] of (made.addresses as string[]).entries())
    all.push({ address: one, key: `${i + 1} ${NO_PAYMENT_ID}` });
  for (let i = 1; i <= INTEGRATED; i++) {
    const payment_id = String(i).repeat(16);
    const { integrated_address } = await payees.rpc('make_integrated_address', { payment_id });
    all.push({ address: String(integrated_address), key: `0 ${payment_id}` });
  }
  return all;
}

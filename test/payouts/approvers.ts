import type { Loose } from '../support/network/json-rpc.js';
import { CREATOR } from './access.js';
import type { Round } from './round.js';

/** Approves payouts under a credential, with the hashes that their list has. */
export async function approveBy(round: Round, by: string, payouts: readonly Loose[]): Promise<void> {
  const { world, payer, approval } = round.parts;
  const known = payouts.filter(({ approval_hash }) => approval_hash !== undefined);
  if (approval === undefined || known.length === 0) return;
  const { model } = approval;
  const asked = known.map((payout) => ({
    payout,
    given: model.ask(String(payout.payout_id), by, world.clock.now),
  }));
  const items = known.map(({ payout_id, approval_hash }) => ({ payout_id, approval_hash }));
  const reply = await payer.ask('approve_payouts', { payouts: items }, by);
  if (reply === undefined) return;
  const results = (reply.result?.['results'] ?? []) as Loose[];
  for (const [i, { payout, given }] of asked.entries()) {
    const { payout_id: id, account_index: account, amount } = payout;
    const isGiven = results[i]?.payout !== undefined;
    model.answer(String(id), given, isGiven);
    if (isGiven && by === CREATOR && !model.mayApproveOwn(CREATOR, account, amount))
      round.violate(`${id}: its creator has approved it`);
  }
}

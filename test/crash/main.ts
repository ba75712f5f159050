import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.js';
import { runOrderCampaign } from './order-campaign.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    /** Kills during calls with idempotency keys, in place of random calls. */
    orders: { type: 'boolean', default: false },
    /** Fixes the calls and the times of the kills; the state at a kill still depends on the machine's speed. */
    seed: { type: 'string', default: String(process.pid) },
  },
});
const kills = Number(values.kills);
if (!Number.isSafeInteger(kills) || kills < 1) {
  process.stderr.write('--kills takes a positive integer\n');
  process.exit(2);
}
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${values.seed}`);
const run = values.orders ? runOrderCampaign : runCampaign;
const { faults, ...figures } = await run({ kills, seed: values.seed, log: say });
for (const [name, value] of Object.entries(figures))
  say(`${name.padEnd(18)} ${typeof value === 'number' ? value : JSON.stringify(value)}`);
for (const fault of faults) say(`FAULT ${fault}`);
say(
  faults.length === 0
    ? values.orders
      ? 'every order was paid once'
      : 'nothing acknowledged was lost'
    : `${faults.length} faults; seed ${values.seed}`,
);
process.exit(faults.length === 0 ? 0 : 1);

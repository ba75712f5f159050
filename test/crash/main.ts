import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
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
const { faults, ...figures } = await runCampaign({ kills, seed: values.seed, log: say });
for (const [name, value] of Object.entries(figures)) say(`${name.padEnd(18)} ${value}`);
for (const fault of faults) say(`FAULT ${fault}`);
say(faults.length === 0 ? 'nothing acknowledged was lost' : `${faults.length} faults; seed ${values.seed}`);
process.exit(faults.length === 0 ? 0 : 1);

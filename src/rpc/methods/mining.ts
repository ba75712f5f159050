import { flag, height, none, params } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { DAEMON } from '../faults/fault-entry.js';
import { defineMethod, type WalletMethod } from '../method.js';

export const miningMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'start_mining',
    summary: "Starts mining of the daemon to the wallet's primary address.",
    meta: { family: 'admin', needs: 'wallet', restricted: true, trustedDaemon: true },
    faults: [...DAEMON, 'mining_refused', 'invalid'],
    params: () =>
      params({
        threads_count: height
          .default(0)
          .describe(
            'Number of threads, from 1 to the number of processors of this machine, or to 2 if it has one; required',
          ),
        do_background_mining: flag
          .default(false)
          .describe('Mines only while the machine of the daemon is idle'),
        ignore_battery: flag.default(false).describe('Mines in the background on battery power, too'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_START_MINING, on_start_mining',
    async handle({ wallet, server }, args) {
      const request = {
        threads: args.threads_count,
        background: args.do_background_mining,
        ignoreBattery: args.ignore_battery,
      };
      await wallet.mining.start(request, server.settings.threads);
      return {};
    },
  }),

  defineMethod({
    name: 'stop_mining',
    summary: 'Stops mining of the daemon.',
    meta: { family: 'admin', needs: 'wallet', restricted: true },
    faults: [...DAEMON, 'mining_refused'],
    params: () => none,
    result: wire.nothing,
    source: 'COMMAND_RPC_STOP_MINING, on_stop_mining',
    async handle({ wallet }) {
      await wallet.mining.stop();
      return {};
    },
  }),
];

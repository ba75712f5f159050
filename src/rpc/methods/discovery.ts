import { none } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';

/** Method that describes all methods; the reference does not have it. */
export const discoveryMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'rpc.discover',
    summary: 'Returns an OpenRPC document of the methods that the client may call.',
    meta: { family: 'view', needs: 'nothing', restricted: false },
    faults: [],
    params: () => none,
    result: () =>
      wire.object({
        openrpc: wire.text('Version of OpenRPC'),
        info: wire.record('Name, version and license of the server'),
        methods: wire.list(wire.record('A method'), 'Methods, by name'),
      }),
    source: ADDITION,
    async handle({ methods, version }) {
      // Loaded at the first call, so that the start takes no longer.
      const { openRpcOf } = await import('../discovery/open-rpc.js');
      return { ...openRpcOf(methods(), version) };
    },
  }),
];

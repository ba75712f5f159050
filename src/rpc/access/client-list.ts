import { BlockList, isIP, isIPv4 } from 'node:net';
import { plainAddress } from '../../util/address.js';

/** List of client addresses: IP addresses, and networks as `address/bits`. */
export class ClientList {
  readonly #list = new BlockList();

  /** @param entries IP addresses, and networks as `address/bits`. @throws RangeError for any other entry. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry);
  }

  #add(entry: string): void {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const most = family === 'ipv4' ? 32 : 128;
    const isNetwork = bits !== undefined;
    if (
      isIP(address) === 0 ||
      rest.length > 0 ||
      (isNetwork && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most))
    )
      throw new RangeError(`'${entry}' is neither an IP address nor a network such as 10.0.0.0/8`);
    if (isNetwork) this.#list.addSubnet(address, Number(bits), family);
    else this.#list.addAddress(address, family);
  }

  /** True if an address, or a network that contains it, is in the list. */
  includes(ip: string): boolean {
    const address = plainAddress(ip);
    return isIP(address) !== 0 && this.#list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}

import { otherNetwork, tryParseAddress } from '../../monero/cryptonote/address.js';
import { addressInRecord, hostOfAlias } from '../../monero/cryptonote/open-alias.js';
import type { Address, NetworkType } from '../../monero/cryptonote/types.js';
import { DnsError, type TextRecords } from '../../net/dns/resolver.js';
import { CodecError } from '../../util/codec.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import { noAddress } from './wrong-address.js';

/** Source of DNS TXT records. */
export interface TextSource {
  /** Reads the TXT records of a host. @throws CodecError for an invalid host name; DnsError when the lookup fails. */
  texts(host: string): Promise<TextRecords>;
}

/** Creates a WalletError `wrong_address`. @param text the reference's message. */
const wrong = (reason: string, { text, cause }: { text?: string; cause?: unknown } = {}): WalletError =>
  new WalletError({ kind: 'wrong_address', reason, ...(text === undefined ? {} : { text }) }, { cause });

const notOfNetwork = (host: string, record: string, network: NetworkType | undefined): string => {
  const elsewhere = network === undefined ? undefined : otherNetwork(record, network);
  return `the address found at ${host} is not one of this network${elsewhere === undefined ? '' : `: ${elsewhere}`}`;
};

/** Resolves OpenAlias names to addresses. Only answers authenticated by DNSSEC are accepted. */
export class OpenAlias {
  readonly #source: TextSource | undefined;

  /** @param source absent: every name is refused. */
  constructor(source?: TextSource) {
    this.#source = source;
  }

  /**
   * Parses an address, or looks up an OpenAlias name.
   * @param network required network of the address; undefined: any network. @throws WalletError `wrong_address` Source:
   * cryptonote_basic_impl.cpp `get_account_address_from_str_or_url`.
   */
  async resolve(text: string, network: NetworkType | undefined): Promise<Address> {
    const plain = tryParseAddress(text, network);
    if (plain !== undefined) return plain;
    const host = hostOfAlias(text);
    if (host === undefined) throw noAddress(text, network, text);
    const record = await this.#lookUp(host);
    const found = tryParseAddress(record, network);
    if (found === undefined) throw wrong(notOfNetwork(host, record, network));
    return found;
  }

  /** Parses or looks up an address as {@link resolve}; undefined for an invalid text or a failed lookup. */
  async find(text: string, network: NetworkType | undefined): Promise<Address | undefined> {
    try {
      return await this.resolve(text, network);
    } catch (error) {
      if (faultOf(error) !== undefined) return undefined;
      throw error;
    }
  }

  /** Looks up the address of an OpenAlias name. @throws WalletError `wrong_address` */
  async #lookUp(host: string): Promise<string> {
    if (this.#source === undefined)
      throw wrong(`${host} is not an address, and names are not looked up: DNS is off`);
    let records: TextRecords;
    try {
      records = await this.#source.texts(host);
    } catch (error) {
      if (error instanceof CodecError)
        throw wrong(`${host} is neither an address nor a name`, { cause: error });
      if (error instanceof DnsError)
        throw wrong(`${host} cannot be looked up, DNS is out of reach: ${error.message}`, { cause: error });
      throw error;
    }
    const [address] = records.texts.flatMap((text) => addressInRecord(text) ?? []);
    if (address === undefined)
      throw wrong(`no TXT record of ${host} has a Monero address`, {
        text: `No Monero address found at ${host}`,
      });
    if (!records.authenticated)
      throw wrong(`the answer for ${host} is not authenticated by DNSSEC`, {
        text: `Invalid DNSSEC for ${host}`,
      });
    return address;
  }
}

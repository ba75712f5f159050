/** Numbers of characters of a standard and of an integrated address. */
const ADDRESS_CHARS = [95, 106];
const PREFIX = 'oa1:xmr';
const FIELD = 'recipient_address=';

/**
 * Returns the host name of an OpenAlias: `donate@example.org` stands for `donate.example.org`.
 * @returns undefined for a text without a dot, such as a mistyped address, so that such a text is never sent to a DNS
 * server. Source: dns_utils.cpp `get_dns_format_from_oa_address`.
 */
export function hostOfAlias(text: string): string | undefined {
  const host = text.replace('@', '.');
  return /^[^\s@.]+(?:\.[^\s@.]+)+\.?$/.test(host) && host.length <= 255 ? host : undefined;
}

/**
 * Returns the text of the address in a TXT record; the address is not validated. Source: dns_utils.cpp
 * `address_from_txt_record`.
 */
export function addressInRecord(record: string): string | undefined {
  const prefix = record.indexOf(PREFIX);
  const field = prefix < 0 ? -1 : record.indexOf(FIELD, prefix);
  if (field < 0) return undefined;
  const start = field + FIELD.length;
  const end = record.indexOf(';', start);
  return ADDRESS_CHARS.includes(end - start) ? record.slice(start, end) : undefined;
}

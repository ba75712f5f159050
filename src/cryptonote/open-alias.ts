/** Characters of a standard address and of an integrated one. */
const ADDRESS_CHARS = [95, 106];
const PREFIX = 'oa1:xmr';
const FIELD = 'recipient_address=';

/**
 * The host name that a text may be an alias for: `donate@example.org` stands for `donate.example.org`.
 * @returns undefined for a text without a dot, such as a mistyped address: it is nobody's business.
 * Source: dns_utils.cpp `get_dns_format_from_oa_address`.
 */
export function hostOfAlias(text: string): string | undefined {
  const host = text.replace('@', '.');
  return /^[^\s@.]+(?:\.[^\s@.]+)+\.?$/.test(host) && host.length <= 255 ? host : undefined;
}

/** The address that a TXT record holds; whether it is one is for others to say. Source: dns_utils.cpp `address_from_txt_record`. */
export function addressInRecord(record: string): string | undefined {
  const prefix = record.indexOf(PREFIX);
  const field = prefix < 0 ? -1 : record.indexOf(FIELD, prefix);
  if (field < 0) return undefined;
  const start = field + FIELD.length;
  const end = record.indexOf(';', start);
  return ADDRESS_CHARS.includes(end - start) ? record.slice(start, end) : undefined;
}

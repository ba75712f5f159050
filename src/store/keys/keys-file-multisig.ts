import type { PublicKey } from '../../monero/crypto/types.js';
import { bytes32, chunks, compareBytes, toLatin1 } from '../../util/bytes.js';
import { CodecError, decode, encode, list } from '../../util/codec.js';
import { key } from '../../monero/wallet/exchange/binary-archive.js';
import { MAX_SIGNERS, type GroupState } from '../../monero/wallet/multisig/account.js';
import { fromLatin1, type Fields } from './latin1-json.js';

/** Fields of a keys file that describe a multisig group. */
export const GROUP_FIELDS = [
  'multisig',
  'multisig_threshold',
  'multisig_signers',
  'multisig_derivations',
  'multisig_rounds_passed',
];

const publicKeys = list(key<PublicKey>());

/**
 * Reads the multisig group from the fields of a keys file.
 * @param shares own key shares, 32 bytes each.
 * @throws CodecError Source: wallet2.cpp `load_keys_buf`.
 */
export function readGroup(fields: Fields, shares: Uint8Array): GroupState {
  const number = (name: string): number => {
    const value = fields[name];
    if (typeof value !== 'bigint' || value < 0n || value > BigInt(MAX_SIGNERS + 1))
      throw new CodecError(`no ${name}`);
    return Number(value);
  };
  const keysIn = (name: string): PublicKey[] => {
    const value = fields[name];
    return typeof value === 'string' ? [...decode(publicKeys, fromLatin1(value))] : [];
  };
  const group: GroupState = {
    threshold: number('multisig_threshold'),
    signers: keysIn('multisig_signers').sort(compareBytes),
    roundsPassed: number('multisig_rounds_passed'),
    shares: chunks(shares, 32).map((share) => bytes32<'SecretKey'>(share, 'SecretKey')),
    roundKeys: keysIn('multisig_derivations'),
  };
  const { threshold, signers, roundsPassed } = group;
  const rounds = signers.length - threshold + 2;
  if (signers.length < 2 || threshold < 1 || threshold > signers.length || roundsPassed > rounds)
    throw new CodecError('the multisig group is invalid');
  // Wallets of older multisig schemes have no round count. Their key shares cannot sign together with present key
  // shares.
  if (roundsPassed < 1) throw new CodecError('the multisig wallet is of an old scheme that is not safe');
  return group;
}

/** Returns the fields of a keys file that describe a multisig group. Source: wallet2.cpp `get_keys_file_data`. */
export const groupFields = ({ threshold, signers, roundsPassed, roundKeys }: GroupState): Fields => ({
  multisig: 1n,
  multisig_threshold: BigInt(threshold),
  multisig_signers: toLatin1(encode(publicKeys, signers)),
  multisig_derivations: toLatin1(encode(publicKeys, roundKeys)),
  multisig_rounds_passed: BigInt(roundsPassed),
});

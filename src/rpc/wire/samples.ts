/* Values for the examples of methods. */

/** Text of a subaddress of the main network. */
export const address =
  '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H';
export const primaryAddress =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
export const txHash = 'c36258a276018c3a4bc1f195a7fb530f50cd63a4fa765fb7c6f7f49fc051762a';
export const keyImage = '8d1bd8181bf7d857bdb281e0153d84cd55a3fcaa57c3e570f4a49f935850b5e3';
/** Amount of 1 XMR in atomic units. */
export const oneXmr = 1_000_000_000_000n;

/** Index of {@link address} in its wallet. */
export const index = { major: 0n, minor: 1n };

/** Result of a method that makes one payment. */
export const payment = {
  amount: oneXmr,
  amounts_by_dest: { amounts: [oneXmr] },
  fee: 30_720_000n,
  spent_key_images: { key_images: [keyImage] },
  tx_blob: '',
  tx_hash: txHash,
  tx_key: '',
  tx_metadata: '',
  weight: 1536n,
  multisig_txset: '',
  unsigned_txset: '',
} as const;

/** Row of an incoming payment in a list of transfers. */
export const received = {
  address,
  amount: oneXmr,
  amounts: [oneXmr],
  confirmations: 12n,
  double_spend_seen: false,
  fee: 30_720_000n,
  height: 3_400_000n,
  note: '',
  payment_id: '0000000000000000',
  subaddr_index: index,
  subaddr_indices: [index],
  suggested_confirmations_threshold: 2n,
  timestamp: 1_760_000_000n,
  txid: txHash,
  type: 'in',
  unlock_time: 0n,
  locked: false,
} as const;

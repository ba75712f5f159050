/*
 * Rules of the next fork (FCMP++ with Carrot addressing) that may still move. Each has the commit that it was read from.
 * Sources:
 * `core`: jeffro256/monero, branch carrot_core, 97d9e9911 (2026-07-24): addresses, outputs, scanning.
 * `stage`: jeffro256/monero, branch fcmp++-stage-cold-hot, 2ff9690d6: blocks, transactions, interface of daemons.
 * `spec`: jeffro256/carrot, 8565b5f: carrot.md.
 * The compiler of AssemblyScript reads this file, too, so that it has numbers, texts and functions of numbers alone.
 */

/** Name of these rules, for `--fork-rules`. Rules that differ in any value below get another name. */
export const FORK_RULES = 'carrot-2026-07';

/** Block version that allows the new form beside the old one, in which miner transactions have the new form. `stage` cryptonote_config.h `HF_VERSION_CARROT`. */
export const CARROT_FORK = 17;
/** Block version that allows the new form alone. `stage` cryptonote_config.h `MAX_HF_VERSION`. */
export const CARROT_ONLY_FORK = 18;
/** Least version of blocks that name the tree of outputs. `stage` cryptonote_config.h `HF_VERSION_FCMP_PLUS_PLUS`. */
export const TREE_FORK = 17;

/** Type byte of an output in the new form; 0 in an older test network. `stage` cryptonote_basic.h `txout_to_carrot_v1`. */
export const CARROT_OUTPUT = 0x01;
/** Size of the view tag of an output in the new form [bytes]. `core` core_types.h `VIEW_TAG_BYTES`. */
export const CARROT_TAG_BYTES = 3;
/** Size of the encrypted anchor of an output in the new form [bytes]. `core` core_types.h `JANUS_ANCHOR_BYTES`. */
export const ANCHOR_BYTES = 16;
/** Type of a RingCT signature with a membership proof. `stage` rctTypes.h `RCTTypeFcmpPlusPlus`. */
export const RCT_FCMP = 7;

/** Greatest number of layers of the tree of outputs. `stage` cryptonote_config.h `FCMP_PLUS_PLUS_MAX_LAYERS`. */
export const MOST_TREE_LAYERS = 12;
/** Greatest numbers of inputs and of outputs of a transaction with a membership proof. `stage` cryptonote_config.h. */
export const MOST_FCMP_INPUTS = 128;
export const MOST_FCMP_OUTPUTS = 16;

/** Greatest weight of a transaction that is no miner transaction, from `CARROT_FORK` on. `stage` cryptonote_config.h `FCMP_PLUS_PLUS_MAX_TX_WEIGHT`. */
export const MOST_FORK_TX_WEIGHT = 178_063;
/** Greatest number of outputs of a miner transaction. `stage` cryptonote_config.h `FCMP_PLUS_PLUS_MAX_MINER_OUTPUTS`. */
export const MOST_MINER_OUTPUTS = 10_000;

/** Numbers of layers, and of bytes of a height and of a fee, that every weight counts. `stage` cryptonote_format_utils.cpp. */
export const WEIGHED_LAYERS = 7;
export const WEIGHED_HEIGHT_BYTES = 5;
export const WEIGHED_FEE_BYTES = 10;

/** Size of an input context: a letter and 32 bytes. `core` core_types.h `INPUT_CONTEXT_BYTES`. */
export const INPUT_CONTEXT_BYTES = 33;
/** First byte of the input context of a miner transaction ("C"), and of another transaction ("R"). `core` config.h. */
export const COINBASE_CONTEXT = 0x43;
export const RINGCT_CONTEXT = 0x52;

/** Personalisation of all Blake2b hashes. `core` config.h `CARROT_PERSONAL_STRING`. */
export const CARROT_PERSONALISATION = 'Monero';
/** Text that separates the hash of view tags from others; its length precedes it. `core` config.h, enote_utils.cpp. */
export const VIEW_TAG_SEPARATOR = 'Carrot view tag';

/** Separators of the other hashes of outputs. `core` config.h. */
export const SECRET_SEPARATOR = 'Carrot sender-receiver secret';
export const COINBASE_EXTENSION_G_SEPARATOR = 'Carrot coinbase extension G';
export const COINBASE_EXTENSION_T_SEPARATOR = 'Carrot coinbase extension T';
export const EXTENSION_G_SEPARATOR = 'Carrot key extension G';
export const EXTENSION_T_SEPARATOR = 'Carrot key extension T';
export const MASK_SEPARATOR = 'Carrot commitment mask';
export const ANCHOR_SEPARATOR = 'Carrot encryption mask anchor';
export const AMOUNT_SEPARATOR = 'Carrot encryption mask a';
export const PAYMENT_ID_SEPARATOR = 'Carrot encryption mask pid';
export const SPECIAL_ANCHOR_SEPARATOR = 'Carrot janus anchor special';
export const EPHEMERAL_SEPARATOR = 'Carrot sending key normal';

/** Separators of the hashes of accounts and addresses. `core` config.h. */
export const PROVE_SPEND_SEPARATOR = 'Carrot prove-spend key';
export const VIEW_BALANCE_SEPARATOR = 'Carrot view-balance secret';
export const IMAGE_PREIMAGE_SEPARATOR = 'Carrot generate-image preimage secret';
export const GENERATE_IMAGE_SEPARATOR = 'Carrot generate-image key';
export const INCOMING_VIEW_SEPARATOR = 'Carrot incoming view key';
export const GENERATE_ADDRESS_SEPARATOR = 'Carrot generate-address secret';
export const ADDRESS_PREIMAGE_1_SEPARATOR = 'Carrot address index preimage 1';
export const ADDRESS_PREIMAGE_2_SEPARATOR = 'Carrot address index preimage 2';
export const SUBADDRESS_SEPARATOR = 'Carrot subaddress scalar';

/** Bytes that stand for the types of outputs, payment and change, in hashes. `core` carrot_enote_types.h. */
export const PAYMENT_TYPE = 0;
export const CHANGE_TYPE = 1;

/**
 * Generator T of output keys, compressed. Older branches and carrot.md have 61b736ce…d526, of a hash without
 * personalisation. `core` generators.cpp.
 */
export const GENERATOR_T = 'dc42e1d3307b2d4b3b02729abe577e231d79478141cb5b310ca9fa6e127616a3';

/*
 * Uses the protocol library without a server: derives addresses from a mnemonic, finds the payments of a block, and verifies
 * a proof of one of them. paid-block.json has a block of a private chain; a program gets blocks from a node.
 *
 *   npm install wallet-rpc
 *   node scan-block.ts
 *
 * Node.js 22.18 or later runs TypeScript as it is.
 */
import {
  accountKeysOf,
  blockHash,
  checkTxProof,
  decodeMnemonic,
  formatAddress,
  formatCoins,
  fromHex,
  ownAddress,
  parseAddress,
  parseBlock,
  scanBlock,
  spendSecretFromSeed,
  SubaddressTable,
  toHex,
} from 'wallet-rpc/monero';
import given from './paid-block.json' with { type: 'json' };

const { viewSecret, spendPublicKey } = accountKeysOf(
  spendSecretFromSeed(decodeMnemonic(given.mnemonic).seed),
);
const addressAt = (major: number, minor: number): string =>
  formatAddress(ownAddress({ viewSecret, spendPublicKey }, 'mainnet', { major, minor }));
console.log(`wallet ${addressAt(0, 0)}`);

// Addresses whose payments are found: 20 of the first account, and more as they are used.
const addresses = new SubaddressTable(spendPublicKey, viewSecret, { major: 1, minor: 20 });
addresses.expandTo({ major: 0, minor: 0 });

const block = parseBlock(fromHex(given.block));
if (toHex(blockHash(block)) !== given.hash) throw new Error('another block');
const txs = block.txHashes.map((hash, i) => ({ hash, blob: fromHex(given.transactions[i] ?? '') }));

// The view key is enough to find payments. With the spend key beside it, outputs have their key images.
for (const { hash, outputs, paymentId } of scanBlock(block, txs, { viewSecret }, addresses))
  for (const { amount, subaddress } of outputs)
    console.log(
      `received ${formatCoins(amount)} XMR at ${addressAt(subaddress.major, subaddress.minor)} in ${toHex(hash)}` +
        (paymentId === undefined ? '' : `, payment id ${toHex(paymentId)}`),
    );

const { transaction, address, message, text } = given.proof;
const tx = txs.find(({ hash }) => toHex(hash) === transaction);
if (tx === undefined) throw new Error('the block lacks the transaction of the proof');
const { good, received } = checkTxProof({
  tx,
  address: parseAddress(address, 'mainnet'),
  message: new TextEncoder().encode(message),
  proof: text,
});
console.log(good ? `proven: ${formatCoins(received)} XMR for "${message}"` : 'the proof is wrong');

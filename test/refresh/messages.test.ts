import { expect, it } from '@jest/globals';
import type { Hash, SecretKey } from '../../src/monero/crypto/types.js';
import fc from 'fast-check';
import type { OwnedOutput, PageFindings, ReceivedTx } from '../../src/monero/wallet/scan/findings.js';
import { packBlocks, unpackBlocks } from '../../src/refresh/messages.js';
import { packFindings, unpackFindings } from '../../src/refresh/packed-findings.js';
import { bytes } from '../store/fixtures.js';

it('packed references are the same when they are unpacked', () => {
  const blocks = [
    { height: 900, hash: bytes<Hash>(1) },
    { height: 899, hash: bytes<Hash>(2) },
    { height: 0, hash: bytes<Hash>(3) },
  ];
  expect(unpackBlocks(packBlocks(blocks))).toEqual(blocks);
  expect(unpackBlocks(packBlocks([]))).toEqual([]);
});

const U64_MAX = 2n ** 64n - 1n;
const someBytes = <T>(length = 32): fc.Arbitrary<T> =>
  fc.uint8Array({ minLength: length, maxLength: length }) as unknown as fc.Arbitrary<T>;
const u32 = fc.nat({ max: 2 ** 32 - 1 });
const height = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const u64 = fc.bigInt({ min: 0n, max: U64_MAX });
const amount = u64 as fc.Arbitrary<OwnedOutput['amount']>;

const output: fc.Arbitrary<OwnedOutput> = fc.record(
  {
    txHash: someBytes<OwnedOutput['txHash']>(),
    outputIndex: u32,
    globalIndex: height,
    publicKey: someBytes<OwnedOutput['publicKey']>(),
    keyImage: someBytes<NonNullable<OwnedOutput['keyImage']>>(),
    amount,
    mask: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    rct: fc.boolean(),
    subaddress: fc.record({ major: u32, minor: u32 }),
    derivationKey: someBytes<OwnedOutput['derivationKey']>(),
    height,
    unlockTime: u64,
    coinbase: fc.boolean(),
    change: fc.boolean(),
    burnt: fc.boolean(),
    frozen: fc.boolean(),
    carrot: fc.record(
      {
        ...{ extensionG: someBytes<SecretKey>(), extensionT: someBytes<SecretKey>() },
        context: fc.uint8Array({ minLength: 33, maxLength: 33 }),
      },
      { noNullPrototype: true },
    ),
  },
  {
    noNullPrototype: true,
    requiredKeys: [
      ...(['txHash', 'outputIndex', 'globalIndex', 'publicKey', 'amount', 'mask', 'rct'] as const),
      ...(['subaddress', 'derivationKey', 'height', 'unlockTime', 'coinbase', 'change'] as const),
      ...(['burnt', 'frozen'] as const),
    ],
  },
);

const received: fc.Arbitrary<ReceivedTx> = fc.record(
  {
    txHash: someBytes<ReceivedTx['txHash']>(),
    height,
    timestamp: u32,
    unlockTime: u64,
    fee: amount,
    coinbase: fc.boolean(),
    size: u32,
    paymentId: fc.oneof(someBytes<Uint8Array>(8), someBytes<Uint8Array>(32)),
    txPublicKey: someBytes<ReceivedTx['txPublicKey']>(),
    additionalPublicKeys: fc.array(someBytes<ReceivedTx['txPublicKey']>(), { maxLength: 3 }),
    spentKeyImages: fc.array(someBytes<NonNullable<OwnedOutput['keyImage']>>(), { maxLength: 2 }),
  },
  {
    noNullPrototype: true,
    requiredKeys: [
      ...(['txHash', 'height', 'timestamp', 'unlockTime', 'fee', 'coinbase'] as const),
      ...(['txPublicKey', 'additionalPublicKeys'] as const),
    ],
  },
);

const findings: fc.Arbitrary<PageFindings> = fc.record(
  {
    startHeight: height,
    hashes: fc.array(someBytes<PageFindings['hashes'][number]>(), { maxLength: 3 }),
    received: fc.array(received, { maxLength: 4 }),
    outputs: fc.array(output, { maxLength: 4 }),
    spends: fc.array(
      fc.record(
        {
          keyImage: someBytes<NonNullable<OwnedOutput['keyImage']>>(),
          txHash: someBytes<ReceivedTx['txHash']>(),
          height,
        },
        { noNullPrototype: true },
      ),
      { maxLength: 2 },
    ),
    outgoing: fc.constant([]),
    subaddresses: fc.constant([]),
    lastBlockReward: amount,
  },
  { noNullPrototype: true },
);

it('packed findings are the same when they have crossed to another thread and are unpacked', () => {
  fc.assert(
    fc.property(findings, (found) => {
      expect(unpackFindings(structuredClone(packFindings(found)))).toEqual(found);
    }),
  );
});

it('packed outputs take one byte string, whatever their number', () => {
  const [one] = fc.sample(output, { numRuns: 1, seed: 3 });
  const [page] = fc.sample(findings, { numRuns: 1, seed: 3 });
  if (one === undefined || page === undefined) throw new Error('no sample');
  const packed = packFindings({ ...page, outputs: Array.from({ length: 40 }, () => one) });
  expect(packed.outputs.length % 40).toBe(0);
  expect(packed.outputs.buffer.byteLength).toBe(packed.outputs.length);
});

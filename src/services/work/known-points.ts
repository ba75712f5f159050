import type { CheckpointNetwork } from './checkpoint-file.js';

/** A block whose hash and work the reference publishes. */
interface KnownPoint {
  readonly height: number;
  /** 64 hex digits. */
  readonly hash: string;
  readonly cumulativeDifficulty: bigint;
}

const point = (height: number, hash: string, cumulativeDifficulty: bigint): KnownPoint => ({
  ...{ height, hash, cumulativeDifficulty },
});

/**
 * Blocks with which each chain is compared: the latest ones that the reference publishes. They are no checkpoints, for which
 * the window of difficulties and the seed blocks are missing. Source: checkpoints.cpp `init_default_checkpoints`.
 */
export const KNOWN_POINTS: Readonly<Record<CheckpointNetwork, readonly KnownPoint[]>> = {
  mainnet: [
    point(3516300, 'fa08acbcda99fcc3cd94a749364a29fa6de9501a023cb6673d0c68fdf988b7c3', 0x738f0af4d65d459n),
    point(3541000, '74c457bed9ceef40f31f43bb8fab804077519d45c910dcad2acf4dd8556195c7', 0x76ff158c682d218n),
    point(3576000, '5da4891bfd06be270193bd949f2a623a2b0cb0ebfaad21c70a6cb18e418e5b6a', 0x7cb2e203e867b57n),
    point(3661900, 'ac392757a92123f68d63cd72f0d1410f63df1102a53b5d39fc4d53d0998b20a3', 0x8a38f2195826a97n),
    point(3707000, '9c508fe29120b5cd204f9d150e68fd2e4015d8d859bc0431f7016c7aabc711c9', 0x91129586d4979a6n),
  ],
  testnet: [
    point(1000000, '46b690b710a07ea051bc4a6b6842ac37be691089c0f7758cfeec4d5fc0b4a258', 0x7aaad7153n),
    point(1058600, '12904f6b4d9e60fd875674e07147d2c83d6716253f046af7b894c3e81da7e1bd', 0x971efd119n),
    point(1450000, '87562ca6786f41556b8d5b48067303a57dc5ca77155b35199aedaeca1550f5a0', 0xa639e2930en),
  ],
  stagenet: [
    point(10000, '1f8b0ce313f8b9ba9a46108bfd285c45ad7c2176871fd41c3a690d4830ce2fd5', 0x1d73ban),
    point(550000, '409f68cddd8e74b37469b41c1e61250d81c5776b42264f416d5d27c4626383ed', 0x5f3d4d03en),
  ],
  regtest: [],
};

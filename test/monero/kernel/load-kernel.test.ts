import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from '@jest/globals';
import { plainCurve } from '../../../src/monero/crypto/curve/plain-curve.js';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { hashToScalar, ORDER, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import {
  choose,
  KNOWN_AMOUNTS,
  KNOWN_COMMITMENTS,
  KNOWN_POINTS,
  KNOWN_SECRET,
} from '../../../src/monero/crypto/curve/build-choice.js';
import {
  chooseCurve,
  KNOWN_SCALARS,
  KNOWN_SUM,
  loadCurve,
} from '../../../src/monero/crypto/curve/load-curve.js';
import { NO_VIEW_TAG } from '../../../src/monero/kernel/kernel.js';
import { chooseKernel, KNOWN_PRODUCTS, loadKernel } from '../../../src/monero/kernel/load-kernel.js';
import { referenceKernel } from '../../../src/monero/kernel/reference-kernel.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';
import { hitsText, type Answers, type Question } from '../../support/chain/kernel-answers.js';
import { LIMITED_PROCESSORS } from '../../support/processes/processor-flags.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { someRows } from '../../support/jest/lanes.js';

describe('the recorded answers', () => {
  it('are those of the plain kernel and the plain curve', () => {
    expect(toHex(referenceKernel.multiply(concatBytes(...KNOWN_POINTS), KNOWN_SECRET))).toBe(KNOWN_PRODUCTS);
    expect(toHex(plainCurve.multiexp(KNOWN_POINTS, KNOWN_SCALARS))).toBe(KNOWN_SUM);
    expect(toHex(plainCurve.commit(KNOWN_AMOUNTS, concatBytes(KNOWN_SECRET, KNOWN_SECRET)))).toBe(
      KNOWN_COMMITMENTS,
    );
    expect(KNOWN_SCALARS).toEqual([(ORDER - 1n) / 3n, ORDER - 2n]);
  });
});

describe('the choice of a build', () => {
  it.each([
    ['a point refused', new RangeError('not a point')],
    ['missing instructions', new TypeError('unknown opcode')],
    ['no WebAssembly', new ReferenceError('WebAssembly is not defined')],
    ['a trap', new Error('unreachable')],
  ])('falls on the next one after %s', (_, error) => {
    const { chosen, build, passedOver } = choose(
      (made) => made,
      (made) => {
        if (made === 'relaxed') throw error;
        return true;
      },
    );
    expect([chosen, build]).toEqual(['simd', 'simd']);
    expect(passedOver).toEqual([{ build: 'relaxed', reason: error.message }]);
  });

  it('falls on the next one after a wrong answer, and on none where all are wrong', () => {
    const right = choose(
      (made) => made,
      (made) => made === 'simd',
    );
    expect(right).toMatchObject({
      build: 'simd',
      passedOver: [{ build: 'relaxed', reason: 'wrong answers' }],
    });
    const none = choose(
      (made) => made,
      () => false,
    );
    expect(none.chosen).toBeUndefined();
    expect(none.passedOver.map(({ build }) => build)).toEqual(['relaxed', 'simd']);
  });

  it('loads without the plain kernel', () => {
    expect(chooseKernel().chosen?.name).toBe(loadKernel().name);
    expect(chooseCurve().chosen?.name).toBe(loadCurve().name);
    expect(loadKernel().name).toMatch(/^wasm /);
  });
});

describe.each(someRows(LIMITED_PROCESSORS))('a processor $title', ({ flags, build }) => {
  const rng = seededRng('lesser processor');
  const secret = (): Uint8Array => scalarBytes(hashToScalar(rng(32)));
  const point = (): Uint8Array => publicKeyOf(scalarBytes(hashToScalar(rng(32))));
  const viewSecret = secret();
  const points = [...KNOWN_POINTS, ...Array.from({ length: 6 }, point)];
  const secrets = points.map(secret);
  const keys = [...points, new Uint8Array(32).fill(0xff)];
  const batch = {
    keys: concatBytes(...keys),
    outputKey: Uint32Array.from(keys, (_, i) => i),
    outputIndex: Uint32Array.from(keys, (_, i) => 100 * i),
    viewTags: Uint32Array.from(keys, () => NO_VIEW_TAG),
    outputs: concatBytes(...keys.map(point)),
  };
  const ask = (): Answers => {
    const question: Question = {
      batch: {
        keys: [...batch.keys],
        outputKey: [...batch.outputKey],
        outputIndex: [...batch.outputIndex],
        viewTags: [...batch.viewTags],
        outputs: [...batch.outputs],
      },
      viewSecret: [...viewSecret],
      points: points.slice(2).map((bytes) => [...bytes]),
      secrets: secrets.slice(2).map((bytes) => [...bytes]),
    };
    const script = fileURLToPath(new URL('../../support/chain/kernel-answers-main.js', import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, script], {
      input: JSON.stringify(question),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Answers;
  };

  test('runs the fastest build that is right there, with the answers of the plain one', () => {
    const answers = ask();
    expect(answers.kernel).toBe(build === undefined ? 'reference' : `wasm ${build}`);
    expect(answers.curve).toBe(build === undefined ? 'plain' : `wasm ${build}`);
    const wanted = hitsText(referenceKernel.scan(batch, { viewSecret }));
    expect([answers.hits, answers.pooledHits]).toEqual([wanted, wanted]);
    expect(answers.products).toEqual(plainCurve.multiplySecret(points.slice(2), secrets.slice(2)).map(toHex));
  });
});

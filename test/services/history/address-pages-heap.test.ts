import { Heap } from '../../../src/services/history/address-pages.js';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';

it('has the first item of its order, after items were added, changed and removed', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ add: fc.integer({ min: 0, max: 20 }) }),
      fc.record({ change: fc.integer({ min: 0, max: 20 }) }),
      fc.constant('remove' as const),
    ),
  );
  fc.assert(
    fc.property(steps, (all) => {
      const heap = new Heap<{ value: number }>((a, b) => a.value < b.value);
      let plain: number[] = [];
      for (const step of all) {
        plain.sort((a, b) => a - b);
        const { first } = heap;
        if (step === 'remove') {
          heap.removeFirst();
          plain = plain.slice(1);
        } else if ('add' in step) {
          heap.add({ value: step.add });
          plain.push(step.add);
        } else if (first !== undefined) {
          first.value = step.change;
          heap.siftFirst();
          plain[0] = step.change;
        }
        expect(heap.first?.value).toBe(plain.length === 0 ? undefined : Math.min(...plain));
      }
    }),
  );
});

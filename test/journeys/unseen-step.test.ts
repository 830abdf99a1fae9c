import { expect, it } from 'vitest';
import { requirePurchases } from '../../src/journeys/visit-relation.ts';

const visitsWith = (purchases: number) => ({ column: () => 'session_number_of_transactions', select: async () => [{ n: purchases }] });

it('purchases are no outcome where no session has one, and another is asked for', async () => {
  await expect(requirePurchases(visitsWith(0))).rejects.toThrow(/^outcome: no session of these files has a purchase; name another one/);
  await expect(requirePurchases(visitsWith(3))).resolves.toBeUndefined();
});

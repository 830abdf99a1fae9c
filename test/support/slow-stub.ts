import { vi } from 'vitest';
import { type Answer, openStub } from './stub-platform.ts';

/** A stub whose answers wait until `answer` is called, so that reads are on their way together. */
export async function slowStub(answer: Answer) {
  const waiting: (() => void)[] = [];
  const stub = await openStub({ answers: [(response, request) => void waiting.push(() => answer(response, request))] });
  return {
    stub,
    arrived: (count: number) => vi.waitUntil(() => stub.calls.length >= count, { interval: 1 }),
    answer: () => {
      for (const each of waiting.splice(0)) each();
    },
  };
}

import { afterAll, beforeAll } from 'vitest';
import { missing, startClickHouse, type TestClickHouse } from './start.ts';

/** One ClickHouse for a test file; ask for it inside a test that is skipped without it. */
export function sharedClickHouse(): () => TestClickHouse {
  let running: TestClickHouse | undefined;
  beforeAll(async () => {
    if (missing === undefined) running = await startClickHouse();
  });
  afterAll(() => running?.stop());
  return () => {
    if (!running) throw new Error('ClickHouse is not running; ask for it inside a test that is skipped without it.');
    return running;
  };
}

import type { Clock } from '../lib/clock.ts';
import type { Credentials } from './credentials.ts';
import type { Faults } from './faults.ts';
import type { Load } from './load.ts';
import type { RecordedRequest } from './requests.ts';
import type { Tokens } from './tokens.ts';
import type { World } from './world/index.ts';

/** What the four servers of one emulator share. */
export interface Platform {
  readonly clock: Clock;
  readonly world: World;
  readonly credentials: Credentials;
  readonly tokens: Tokens;
  readonly load: Load;
  readonly faults: Faults;
  readonly requests: RecordedRequest[];
  readonly pagesFrom: 0 | 1;
  /** Known when all four listen; the one of enrichment ends with a slash. */
  readonly addresses: { auth: string; service: string; enrichment: string; store: string };
}

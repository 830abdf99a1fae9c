import { AsyncLocalStorage } from 'node:async_hooks';

/** Why the caller of the running request may only read, in words for it; undefined where it may change something too. */
export const readOnlyReason = new AsyncLocalStorage<string | undefined>();

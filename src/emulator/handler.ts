import type { InputOf, Operation, PayloadOf } from '../api/operation.ts';
import type { OperationName, operations } from '../api/operations/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Credentials, Project, Tokens } from './credentials.ts';
import type { Deployment } from './deployment.ts';
import type { Faults } from './faults.ts';
import type { Load, RecordedRequest } from './requests.ts';
import type { World } from './world/index.ts';

/** The surroundings of a handler beside its checked input. */
export interface Place {
  readonly world: World;
  readonly project: Project;
  /** Address of the file store, without a slash at the end. */
  readonly storeUrl: string;
  /** The emulator's present, ms since 1970. */
  readonly nowMs: number;
  readonly deployment: Deployment;
}

/** Answers one operation; a `Refusal` becomes the envelope's error. */
export type Handler<O extends Operation> = (input: InputOf<O>, place: Place) => PayloadOf<O> | Promise<PayloadOf<O>>;

type AuthOperation = 'requestToken' | 'readCredential';

/** A handler for each operation behind a bearer token: one that is missing does not compile. */
export type Handlers<Name extends OperationName = Exclude<OperationName, AuthOperation>> = {
  [K in Name]: Handler<(typeof operations)[K]>;
};

/** Parts that the four servers of one emulator share. */
export interface Platform {
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly load: Load;
  readonly deployment: Deployment;
  /** The addresses are known when all four listen. */
  readonly authUrl: string;
  /** The `endpoint` of service tokens, without a slash at the end. */
  readonly serviceUrl: string;
  /** The `endpoint` of enrichment tokens, with a slash at the end. */
  readonly enrichmentUrl: string;
  readonly storeUrl: string;
  readonly credentials: Credentials;
  readonly faults: Faults;
  /** The received requests, oldest first; the last 1000. Setting the length to 0 forgets them. */
  readonly requests: RecordedRequest[];
  readonly world: World;
}

import type { InputOf, Operation, PayloadOf } from '../api/operation.ts';
import type { OperationName, operations } from '../api/operations/index.ts';
import type { World } from './world/index.ts';

/** A tracked site or app of the emulated platform. */
export interface Project {
  readonly id: number;
  readonly name: string;
  readonly kind: 'shop' | 'app' | 'content';
  /** ISO 4217; every metric value carries it. */
  readonly currency: string;
  /** Conversions without a `goalId` and revenue exist only where this is true. */
  readonly ecommerce: boolean;
}

/** What a handler may know beside its checked input. */
export interface Place {
  readonly world: World;
  readonly project: Project;
  /** Address of the file store, without a slash at the end. */
  readonly storeUrl: string;
  /** The emulator's present, ms since 1970. */
  readonly nowMs: number;
}

/** Answers one operation; a `Refusal` becomes the envelope's error. */
export type Handler<O extends Operation> = (input: InputOf<O>, place: Place) => PayloadOf<O> | Promise<PayloadOf<O>>;

type AuthOperation = 'requestToken' | 'readCredential';

/** A handler for each operation behind a bearer token: one that is missing does not compile. */
export type Handlers<Name extends OperationName = Exclude<OperationName, AuthOperation>> = {
  [K in Name]: Handler<(typeof operations)[K]>;
};

/** Refuses a request the way the platform does: HTTP status, `success: false`, `errorMessage`, `errorCode`. */
export class Refusal extends Error {
  readonly status: number;
  readonly errorCode: string;
  readonly headers: Record<string, string>;

  constructor(status: number, errorCode: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.errorCode = errorCode;
    this.headers = headers;
  }
}

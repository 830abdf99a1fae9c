import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SignIn } from '../../sign-in/principal.ts';
import type { ConnectionLimits } from './connections.ts';
import type { GuardOptions } from './guard.ts';
import type { BodyLimits } from './messages.ts';
import type { RouterOptions } from './router.ts';
import type { TableLimits } from './session-table.ts';

/** The limits of one process. */
export interface HttpLimits extends TableLimits, BodyLimits, ConnectionLimits {
  /** Requests in work at once; streams do not count. */
  readonly maxRequests: number;
  /** Until the headers have come. */
  readonly headersTimeoutMs: number;
  /** Until the body has come. */
  readonly requestTimeoutMs: number;
  /** How long nothing may move over a connection with a request; streams send signs of life more often. */
  readonly silenceMs: number;
  /** How long running calls may go on after the server was asked to close. */
  readonly drainMs: number;
}

/** Limits that no setting changes. */
export const fixedLimits = {
  maxBodyBytes: 4 * 2 ** 20,
  maxHeldBytes: 64 * 2 ** 20,
  shortBodyBytes: 16 * 2 ** 10,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  silenceMs: 120_000,
  drainMs: 10_000,
} satisfies Partial<HttpLimits>;

/** A page beside `/mcp` that needs no sign-in. */
export type Page = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Options of HTTP serving. */
export interface HttpOptions extends GuardOptions, Omit<RouterOptions, 'limits'> {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Certificate chain and key, PEM; left out: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly limits: HttpLimits;
  /** Left out: every caller is the local one. */
  readonly signIn?: SignIn | undefined;
  /** Whether a tool of this name changes what it is called for, so that a caller needs the scope write. */
  readonly changesSomething: (tool: string) => boolean;
  /** By path. */
  readonly pages?: ReadonlyMap<string, Page> | undefined;
  /** By path too: pages for probes and scrapers, which call by whatever address they find this machine at. */
  readonly probes?: ReadonlyMap<string, Page> | undefined;
  /** Called with the status of each answer. */
  readonly onAnswer?: ((status: number) => void) | undefined;
}

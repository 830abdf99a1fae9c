import * as z from 'zod';
import { text } from '../../api/params.ts';
import { resourceTypes } from '../read/har-model.ts';
import type { HarEntry } from '../read/read-entry.ts';
import { sanitiseUrl } from '../sanitise-url.ts';
import { weightOf } from './totals.ts';

/** Arguments that say which requests are meant; all conditions hold together. */
export const requestFilter = {
  /** Of the address as it is shown: sanitised; `…` stands for anything. */
  url: text.describe('Partial address').optional(),
  type: z.enum(resourceTypes).optional(),
  /** Hosts below it count too. */
  domain: text.describe('Registrable domain or host').optional(),
  status: z
    .string()
    .regex(/^(?:\d{1,3}|[1-5]xx)$/i, 'expected a status such as 404, a class such as 4xx, or 0')
    .describe('404, 4xx, or 0: unanswered')
    .optional(),
  minDurationMs: z.number().min(0).describe('Minimum').optional(),
  /** Of the content where those transferred are unknown. */
  minBytes: z.number().min(0).describe('Minimum transferBytes').optional(),
};

type RequestFilter = z.infer<z.ZodObject<typeof requestFilter>>;

type Condition = (entry: HarEntry) => boolean;

/** Each condition by the member that asks for it; cheap ones first, since sanitising an address costs more than all others together. */
const conditions: { readonly [Name in keyof RequestFilter]-?: (wanted: NonNullable<RequestFilter[Name]>) => Condition } = {
  type: (wanted) => (entry) => entry.type === wanted,
  status(wanted) {
    const classOf = /^([1-5])xx$/i.exec(wanted)?.[1];
    return ({ status }) => (classOf === undefined ? status === Number(wanted) : Math.floor((status ?? 0) / 100) === Number(classOf));
  },
  minDurationMs: (wanted) => (entry) => (entry.durationMs ?? -1) >= wanted,
  minBytes: (wanted) => (entry) => (weightOf(entry) ?? -1) >= wanted,
  domain(wanted) {
    const name = wanted.toLowerCase();
    return ({ host, domain }) => host !== null && (host === name || domain === name || host.endsWith(`.${name}`));
  },
  url(wanted) {
    const pieces = wanted.toLowerCase().split(/…|\.\.\./);
    return ({ url }) => {
      const address = sanitiseUrl(url).toLowerCase();
      let from = 0;
      return pieces.every((piece) => {
        const at = address.indexOf(piece, from);
        from = at + piece.length;
        return at !== -1;
      });
    };
  },
};

function conditionsOf(filter: RequestFilter): Condition[] {
  const known = Object.entries(conditions) as [keyof RequestFilter, (wanted: unknown) => Condition][]; // each takes what its name asks for
  return known.flatMap(([name, holds]) => (filter[name] === undefined ? [] : [holds(filter[name])]));
}

/** True where nothing is asked for. */
export function isEmptyFilter(filter: RequestFilter): boolean {
  return conditionsOf(filter).length === 0;
}

/** The requests that fit, in order of start. */
export function filterRequests(entries: readonly HarEntry[], filter: RequestFilter): readonly HarEntry[] {
  const holding = conditionsOf(filter);
  return holding.length === 0 ? entries : entries.filter((entry) => holding.every((holds) => holds(entry)));
}

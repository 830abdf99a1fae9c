import { DAY_MS } from '../../../lib/clock.ts';
import type { Project } from '../../credentials.ts';
import { hash } from '../random.ts';
import { type Cell, chance, pick, type SessionRow } from './session-row.ts';

/** What a custom variable holds where the site set none. */
const EMPTY_VARIABLE = 'wa-empty';

interface CustomVariable {
  readonly position: number;
  readonly key: string;
  readonly values: readonly string[];
  /** Whether all sessions of a user share the value. */
  readonly perUser: boolean;
  /** Share of users or sessions without a value. */
  readonly emptyShare: number;
}

const loginState: CustomVariable = { position: 2, key: 'login_state', values: ['guest', 'logged_in'], perUser: false, emptyShare: 0 };

const customVariables: Record<Project['kind'], readonly CustomVariable[]> = {
  shop: [
    { position: 1, key: 'plan', values: ['free', 'plus', 'business'], perUser: true, emptyShare: 0.08 },
    loginState,
    { position: 3, key: 'checkout_variant', values: ['one_page', 'steps'], perUser: true, emptyShare: 0.5 },
    { position: 7, key: 'loyalty_tier', values: ['bronze', 'silver', 'gold'], perUser: true, emptyShare: 0.6 },
  ],
  app: [
    { position: 1, key: 'plan', values: ['free', 'premium'], perUser: true, emptyShare: 0.02 },
    loginState,
    { position: 4, key: 'push_consent', values: ['granted', 'denied'], perUser: true, emptyShare: 0.1 },
  ],
  content: [
    { position: 1, key: 'plan', values: ['reader', 'subscriber', 'trial'], perUser: true, emptyShare: 0.2 },
    loginState,
    { position: 5, key: 'section', values: ['politics', 'culture', 'science', 'sports'], perUser: false, emptyShare: 0.05 },
    { position: 6, key: 'consent', values: ['all', 'necessary'], perUser: true, emptyShare: 0 },
  ],
};

/** The custom variables of a project by position. */
export function customVariablesOf(project: Project): readonly CustomVariable[] {
  return customVariables[project.kind];
}

/** Value of the custom variable at `position`; the placeholder where the site set none or knows no such variable. */
export function customValueOf({ project, day, index, seed }: SessionRow, position: number): string {
  const variable = customVariables[project.kind].find((candidate) => candidate.position === position);
  if (!variable) return EMPTY_VARIABLE;
  const owner = variable.perUser ? (day.userLow[index] ?? 0) : seed;
  if (chance(owner, 600 + position) < variable.emptyShare) return EMPTY_VARIABLE;
  return pick(variable.values, chance(owner, 700 + position));
}

/** A dynamic variable and the days on which it was sent. */
export interface DynamicVariable {
  readonly key: string;
  readonly type: 'string' | 'integer';
  readonly fromMs: number;
  readonly toMs: number;
  /** Share of sessions that carry it. */
  readonly share: number;
  readonly values: readonly string[];
}

const terms = ['rain jacket', 'tent 2 person', 'trail shoes', 'gift card', 'sleeping bag', 'wool socks'] as const;
type Template = Omit<DynamicVariable, 'fromMs' | 'toMs'> & { readonly sinceDays?: number; readonly untilDays?: number };

const templates: Record<Project['kind'], readonly Template[]> = {
  shop: [
    { key: 'search_term', type: 'string', share: 0.3, values: terms },
    { key: 'search_results', type: 'integer', share: 0.3, values: [] },
    { key: 'voucher_code', type: 'string', share: 0.06, values: ['WELCOME10', 'FREESHIP', 'AUTUMN15'] },
    { key: 'delivery_days', type: 'integer', share: 0.2, values: [], sinceDays: 45 },
    { key: 'size_advisor', type: 'string', share: 0.1, values: ['opened', 'used'], untilDays: 150 },
  ],
  app: [
    { key: 'route_difficulty', type: 'string', share: 0.4, values: ['easy', 'medium', 'hard'] },
    { key: 'coins', type: 'integer', share: 0.5, values: [] },
  ],
  content: [
    { key: 'author', type: 'string', share: 0.7, values: ['A. Brandt', 'J. Moreau', 'K. Lindholm', 'S. Okafor'] },
    { key: 'words_read', type: 'integer', share: 0.8, values: [] },
  ],
};

/** The dynamic variables of a project; some came or went, counted back from the start of the clock. */
export function dynamicVariablesOf(project: Project, startMs: number): DynamicVariable[] {
  const midnightMs = Math.floor(startMs / DAY_MS) * DAY_MS;
  const lived = ({ sinceDays, untilDays, ...variable }: Template): DynamicVariable => ({
    ...variable,
    fromMs: sinceDays === undefined ? Number.NEGATIVE_INFINITY : midnightMs - sinceDays * DAY_MS,
    toMs: untilDays === undefined ? Number.POSITIVE_INFINITY : midnightMs - untilDays * DAY_MS,
  });
  return templates[project.kind].map(lived);
}

/** Value of a dynamic variable in a session; null where the session carries none. */
export function dynamicValueOf({ seed, startMs }: SessionRow, variable: DynamicVariable): Cell {
  const { key, fromMs, toMs, share, type, values } = variable;
  if (startMs < fromMs || startMs >= toMs) return null;
  // The same draw for all keys: a search term comes with its number of results.
  if (chance(seed, 800) >= share) return null;
  return type === 'integer' ? hash(seed, key.length) % 60 : pick(values, chance(seed, 801 + key.length));
}

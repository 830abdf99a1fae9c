import { hint } from '../../lib/hint.ts';

/** The word that stands for the fields of the tools over visits. */
export const PRESET = 'journeys';

/** Exactly the fields that the tools over visits read, by scope; with project_id, rows of files that overlap are known again. */
const journeyFields = {
  sessions: [
    'project_id',
    'user_id',
    'session_id',
    'session_number',
    'session_time',
    'device_id',
    'country_code',
    'browser_name',
    'browser_version',
    'referer_url',
    'is_excludable',
    'session_number_of_transactions',
    'session_transactions_revenue_cents',
    'app_events.event_name',
    'app_events.event_time',
  ],
  views: [
    'project_id',
    'user_id',
    'session_id',
    'view_number',
    'view_time',
    'path',
    'fully_loaded',
    'frustration_score',
    'rage_click_all_targets_ind',
    'any_js_error_ind',
    'any_api_error_ind',
    'errors.message',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The texts of an order with the preset as the fields that it stands for, of those that the scope has; undefined for another scope. */
export function withPreset(texts: readonly string[], scope: string | undefined, there: ReadonlySet<string>): string[] | undefined {
  const own = Object.entries(journeyFields).find(([name]) => name === scope?.toLowerCase())?.[1];
  return own && [...new Set(texts.flatMap((text): string[] => (isPreset(text) ? own.filter((field) => there.has(field)) : [text])))];
}

/** Whether a text names the preset. */
export function isPreset(text: string): boolean {
  return text.trim().toLowerCase() === PRESET;
}

/** The sentences that name the calls which plan what the tools over visits read of these scopes. */
export function planCalls(scopes: readonly string[] = Object.keys(journeyFields)): string[] {
  return scopes.map((scope) => {
    const call = JSON.stringify({ fields: [PRESET], scope, frequency: 'daily' });
    return hint('plan_export', `plan_export ${call} plans what is missing (once with dates for past days).`);
  });
}

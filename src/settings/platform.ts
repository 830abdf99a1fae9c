import { addressFault } from '../lib/address.ts';
import { isTimeZone } from '../lib/time-zone.ts';
import { count, flag, list, type Setting, words } from './setting.ts';

const NAMED = /^(?<from>\d{4}-\d{2}-\d{2})(?:\s*\.\.\s*(?<to>\d{4}-\d{2}-\d{2}))?\s+(?<name>\S.*)$/;

/** First and last day, and what a person calls them. */
interface NamedDays {
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

const isDay = (text: string) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().slice(0, 10) === text;

function daysOf(text: string): NamedDays | undefined {
  const { from = '', to = from, name = '' } = NAMED.exec(text)?.groups ?? {};
  return name !== '' && isDay(from) && isDay(to) && from <= to ? { from, to, name } : undefined;
}

/** Days with their names, separated by commas: `2026-09-15 Anniversary, 2026-10-05..2026-10-11 Autumn sale`. */
const namedDays = list
  .refine(
    (items) => items.every((item) => daysOf(item) !== undefined),
    'expected days with names, separated by commas, such as 2026-09-15 Anniversary, 2026-10-05..2026-10-11 Autumn sale',
  )
  .transform((items) => items.flatMap((item) => daysOf(item) ?? []));

/** Where the platform is, as whom it is asked, and what is offered of it. */
export const platformSettings = {
  authUrl: {
    variable: 'WEB_ANALYTICS_AUTH_URL',
    title: 'Authentication server',
    words: 'Address of the authentication server; https, or http on loopback',
    schema: words.refine(
      (text) => addressFault(text) === undefined,
      'expected an https address (http only on loopback) without user, query or fragment, such as https://auth.example.com',
    ),
    form: 'string',
  },
  clientId: {
    variable: 'WEB_ANALYTICS_CLIENT_ID',
    title: 'Client ID',
    words: 'Client ID of the credential from the administration console',
    schema: words,
    secret: true,
    form: 'string',
  },
  clientSecret: {
    variable: 'WEB_ANALYTICS_CLIENT_SECRET',
    title: 'Client secret',
    words: 'Client secret of the credential; or `WEB_ANALYTICS_CLIENT_SECRET_FILE`, a file that holds it',
    schema: words,
    secret: true,
    form: 'string',
  },
  enrichmentClientId: {
    variable: 'WEB_ANALYTICS_ENRICHMENT_CLIENT_ID',
    title: 'Enrichment client ID',
    words: 'Client ID of the integration, where enrichment has a credential of its own',
    schema: words,
    otherwise: 'the main credential',
    secret: true,
    form: 'string',
  },
  enrichmentClientSecret: {
    variable: 'WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET',
    title: 'Enrichment client secret',
    words: 'Client secret of the integration; or `WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET_FILE`',
    schema: words,
    secret: true,
    form: 'string',
  },
  projectId: {
    variable: 'WEB_ANALYTICS_PROJECT_ID',
    title: 'Project',
    words: 'Default project of an account-level credential',
    schema: count(1, Number.MAX_SAFE_INTEGER, 'project id'),
    form: 'number',
  },
  timeZone: {
    variable: 'WEB_ANALYTICS_TIME_ZONE',
    title: 'Time zone',
    words: 'IANA time zone of dates without one',
    schema: words.refine(isTimeZone, 'expected an IANA time zone, such as Europe/Paris'),
    default: 'UTC',
    form: 'string',
  },
  country: {
    variable: 'WEB_ANALYTICS_COUNTRY',
    title: 'Country',
    words: 'Country of the visitors, or its region, whose public holidays verdicts know: `FR`, `DE-BY`',
    schema: words.transform((text) => text.toUpperCase()).refine(isCountry, 'expected a country as FR, or a region of it as DE-BY'),
    otherwise: 'that of the time zone; none for UTC',
    form: 'string',
  },
  specialDays: {
    variable: 'WEB_ANALYTICS_SPECIAL_DAYS',
    title: 'Special days',
    words: 'Comma list of own days that are unlike others, as sales: `2026-09-15 Anniversary, 2026-10-05..2026-10-11 Autumn sale`',
    schema: namedDays,
    otherwise: 'Black Friday week, Christmas to New Year and public holidays alone',
    form: 'string',
  },
  toolsets: {
    variable: 'WEB_ANALYTICS_TOOLSETS',
    title: 'Toolsets',
    words: 'Comma list of toolsets; `core` is a short choice from all of them',
    schema: list,
    otherwise: 'all',
    form: 'string',
  },
  readOnly: {
    variable: 'WEB_ANALYTICS_READ_ONLY',
    title: 'Read only',
    words: 'Leaves out every tool that changes the platform or deletes; downloads to this disk stay',
    schema: flag,
    default: 'false',
    form: 'boolean',
  },
  ownDomains: {
    variable: 'WEB_ANALYTICS_OWN_DOMAINS',
    title: 'Own domains',
    words: 'Comma list of domains that are no third party in HAR files, such as that of a CDN',
    schema: list.refine(
      (domains) => domains.every(isDomain),
      'expected domains such as cdn.example.net, without scheme or path, separated by commas',
    ),
    otherwise: "the page's own, and those that carry its name",
    form: 'string',
  },
  rawHar: {
    variable: 'WEB_ANALYTICS_RAW_HAR',
    title: 'Raw HAR files',
    words: 'The HAR resource delivers files unsanitised, cookies and tokens included',
    schema: flag,
    default: 'false',
    form: 'boolean',
  },
  demo: {
    variable: 'WEB_ANALYTICS_DEMO',
    title: 'Demo',
    words: 'Runs against the embedded emulator instead of a platform; needs no credential',
    schema: flag,
    default: 'false',
    form: 'boolean',
  },
} satisfies Record<string, Setting>;

/** A domain as in an address, without scheme, port, path or wildcard. */
function isDomain(text: string): boolean {
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(text);
}

/** A country by its two letters (ISO 3166), perhaps with a region of it behind a hyphen. */
function isCountry(text: string): boolean {
  const [, country = ''] = /^([A-Z]{2})(?:-[A-Z0-9]{1,3})?$/.exec(text) ?? [];
  if (country === '') return false;
  const name = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }).of(country);
  return name !== undefined && name !== 'Unknown Region';
}

import { app, content, shop } from '../../credentials.ts';

/** Countries by column code; `language` is an index in `languages`. */
export const countries = [
  { code: 'DE', language: 0, cities: ['Hamburg', 'Berlin', 'München', 'Köln'] },
  { code: 'FR', language: 1, cities: ['Paris', 'Lyon', 'Nantes', 'Toulouse'] },
  { code: 'AT', language: 0, cities: ['Wien', 'Graz', 'Linz'] },
  { code: 'CH', language: 0, cities: ['Zürich', 'Basel', 'Bern'] },
  { code: 'GB', language: 2, cities: ['London', 'Leeds', 'Bristol'] },
  { code: 'NL', language: 3, cities: ['Amsterdam', 'Utrecht'] },
  { code: 'US', language: 2, cities: ['New York', 'Chicago', 'Austin'] },
  { code: 'ES', language: 4, cities: ['Madrid', 'Valencia'] },
] as const;

/** Languages by column code. */
export const languages = ['de', 'fr', 'en', 'nl', 'es'] as const;

/** Browsers by column code; `version` is the lowest major version that is seen. */
export const browsers = [
  { name: '', version: 0 },
  { name: 'Chrome', version: 139 },
  { name: 'Safari', version: 18 },
  { name: 'Firefox', version: 140 },
  { name: 'Edge', version: 139 },
  { name: 'Samsung Internet', version: 26 },
] as const;

/** Operating systems by column code; `version` is the lowest major version that is seen. */
export const platforms = [
  { name: 'Unknown', version: 0 },
  { name: 'Windows', version: 10 },
  { name: 'macOS', version: 14 },
  { name: 'Linux', version: 6 },
  { name: 'iOS', version: 17 },
  { name: 'iPadOS', version: 17 },
  { name: 'Android', version: 13 },
] as const;

/** Where sessions come from, by column code; the referrer is empty where the browser sends none. */
export const sources = [
  { name: 'direct', referrer: '' },
  { name: 'organic search', referrer: 'https://www.google.com/' },
  { name: 'paid search', referrer: 'https://www.google.com/' },
  { name: 'newsletter', referrer: '' },
  { name: 'social', referrer: 'https://www.instagram.com/' },
  { name: 'referral', referrer: 'https://www.preisvergleich.example/' },
] as const;

/** Campaigns by column code; 0 stands for no campaign. */
export const campaigns = ['', 'summer-sale', 'black-friday', 'weekly-newsletter', 'brand-search', 'reader-boost'] as const;

/** Devices that the filter of the interface takes in, by `DeviceId`; unknown devices count in `all` alone. */
export const deviceIds = { all: [0, 1, 2, 3, 4, 5], desktop: [1], mobile: [2, 4], tablet: [3, 5] } as const;

/** How the visitors of a project come and behave; shares add up to 1, six-fold lists are by `DeviceId`. */
export interface Profile {
  readonly projectId: number;
  /** Mean over the year. */
  readonly visitsPerDay: number;
  /** Sunday first. */
  readonly weekday: readonly number[];
  /** January first. */
  readonly month: readonly number[];
  /** UTC hours of the day, any scale. */
  readonly hours: readonly number[];
  /** Whether Black Friday and Christmas show. */
  readonly seasonal: boolean;
  readonly deviceShare: readonly number[];
  /** By index of `countries`. */
  readonly countryShare: readonly number[];
  /** By index of `sources`. */
  readonly sourceShare: readonly number[];
  /** Share of visits by visitors who come once. */
  readonly onceShare: number;
  /** Most visits that a returning visitor makes. */
  readonly mostVisits: number;
  /** Chance that a session holds a transaction; the visitor's history and source shift it. */
  readonly purchaseRate: readonly number[];
  readonly bounceRate: readonly number[];
  readonly meanViews: number;
  readonly secondsPerView: number;
}

const shopHours = [9, 5, 3, 2, 3, 6, 14, 24, 34, 42, 47, 50, 52, 50, 48, 49, 53, 62, 76, 88, 90, 74, 46, 21];
const appHours = [12, 6, 4, 3, 5, 14, 36, 52, 45, 36, 36, 44, 52, 46, 40, 42, 52, 64, 76, 90, 96, 82, 54, 27];
const contentHours = [7, 4, 3, 4, 10, 32, 70, 88, 76, 58, 50, 54, 66, 58, 46, 42, 46, 52, 56, 62, 60, 48, 30, 15];

const profiles: readonly Profile[] = [
  {
    projectId: shop.id,
    visitsPerDay: 4000,
    weekday: [1.12, 1.04, 0.99, 0.97, 0.96, 0.92, 1],
    month: [1, 0.93, 0.95, 0.96, 0.95, 0.9, 0.8, 0.82, 0.96, 1.03, 1.14, 1.24],
    seasonal: true,
    hours: shopHours,
    deviceShare: [0.011, 0.42, 0.469, 0.1, 0, 0],
    countryShare: [0.44, 0.2, 0.09, 0.08, 0.07, 0.05, 0.04, 0.03],
    sourceShare: [0.26, 0.31, 0.17, 0.1, 0.1, 0.06],
    onceShare: 0.46,
    mostVisits: 9,
    purchaseRate: [0.012, 0.046, 0.028, 0.034, 0, 0],
    bounceRate: [0.6, 0.36, 0.46, 0.41, 0, 0],
    meanViews: 4.2,
    secondsPerView: 38,
  },
  {
    projectId: app.id,
    visitsPerDay: 1500,
    weekday: [1.08, 0.98, 0.97, 0.97, 0.97, 1, 1.03],
    month: [1.02, 0.97, 0.96, 0.97, 0.96, 0.93, 0.87, 0.89, 0.98, 1.03, 1.1, 1.2],
    seasonal: true,
    hours: appHours,
    deviceShare: [0.006, 0, 0, 0, 0.9, 0.094],
    countryShare: [0.5, 0.18, 0.1, 0.09, 0.05, 0.04, 0.02, 0.02],
    sourceShare: [0.78, 0.02, 0.05, 0.08, 0.06, 0.01],
    onceShare: 0.16,
    mostVisits: 28,
    purchaseRate: [0.02, 0, 0, 0, 0.041, 0.052],
    bounceRate: [0.4, 0, 0, 0, 0.19, 0.17],
    meanViews: 5.4,
    secondsPerView: 21,
  },
  {
    projectId: content.id,
    visitsPerDay: 800,
    weekday: [0.94, 1.07, 1.05, 1.04, 1.03, 0.98, 0.89],
    month: [1.05, 1.03, 1.02, 1, 0.99, 0.95, 0.88, 0.89, 1.01, 1.04, 1.07, 1.02],
    seasonal: false,
    hours: contentHours,
    deviceShare: [0.01, 0.41, 0.47, 0.11, 0, 0],
    countryShare: [0.46, 0.24, 0.1, 0.08, 0.04, 0.03, 0.03, 0.02],
    sourceShare: [0.28, 0.36, 0.03, 0.14, 0.13, 0.06],
    onceShare: 0.4,
    mostVisits: 14,
    purchaseRate: [0, 0, 0, 0, 0, 0],
    bounceRate: [0.7, 0.48, 0.6, 0.54, 0, 0],
    meanViews: 2.6,
    secondsPerView: 74,
  },
];

/** The profile of a project; throws where there is none, because only known projects get here. */
export function profileOf(projectId: number): Profile {
  const profile = profiles.find((candidate) => candidate.projectId === projectId);
  if (!profile) throw new Error(`project ${projectId} has no sessions`);
  return profile;
}

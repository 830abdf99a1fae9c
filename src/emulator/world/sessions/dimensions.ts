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

/** Campaigns by column code; 0 is none. */
export const campaigns = ['', 'summer-sale', 'black-friday', 'weekly-newsletter', 'brand-search', 'reader-boost'] as const;

/** What the device filter of the interface takes in, by `DeviceId`; unknown devices count in `all` alone. */
export const deviceIds = { all: [0, 1, 2, 3, 4, 5], desktop: [1], mobile: [2, 4], tablet: [3, 5] } as const;

import { fold } from '../names/match-name.ts';

/** Filters of visits by texts that files hold. */
export type TextFilter = 'countries' | 'browsers';

/** Names of countries that are usual and that Unicode's list of names in English has otherwise. */
const COUNTRIES: Readonly<Record<string, string>> = {
  usa: 'US',
  'united states of america': 'US',
  'great britain': 'GB',
  britain: 'GB',
  holland: 'NL',
  'czech republic': 'CZ',
  turkey: 'TR',
  korea: 'KR',
  'ivory coast': 'CI',
  burma: 'MM',
};

/** Usual names of browsers, by the name that is theirs. */
const BROWSERS: Readonly<Record<string, string>> = {
  ie: 'internet explorer',
  msie: 'internet explorer',
  ff: 'firefox',
  'mozilla firefox': 'firefox',
  'google chrome': 'chrome',
  'microsoft edge': 'edge',
  'ms edge': 'edge',
  'apple safari': 'safari',
  'samsung browser': 'samsung internet',
};

/** A name without its accents, marks and article. */
function plain(text: string): string {
  return fold(text)
    .replaceAll('&', ' and ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/^ ?the /, '')
    .trim();
}

let codes: ReadonlyMap<string, string> | undefined;

/** The codes of countries by their names in English, long and short. */
function codesByName(): ReadonlyMap<string, string> {
  if (codes) return codes;
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCodePoint(65 + at));
  const all = letters.flatMap((first) => letters.map((second) => `${first}${second}`)).filter((code) => regionOf(code) === code);
  const names = (['short', 'long'] as const).flatMap((style) => {
    const ofCode = new Intl.DisplayNames(['en'], { type: 'region', style, fallback: 'none' });
    return all.flatMap((code) => (ofCode.of(code) === undefined ? [] : [[plain(ofCode.of(code) ?? ''), code] as const]));
  });
  codes = new Map([...names, ...Object.entries(COUNTRIES)]);
  return codes;
}

/** The code that stands for a code: GB for UK. */
const regionOf = (code: string) => new Intl.Locale(`und-${code}`).region ?? code;

/** Equal for texts that mean the same country, by code or name. */
function countryKey(text: string): string {
  const name = plain(text);
  return codesByName().get(name) ?? (/^[a-z]{2}$/.test(name) ? regionOf(name) : name);
}

function browserKey(text: string): string {
  const name = plain(text);
  return BROWSERS[name] ?? name;
}

/** The values of the files that a text of a filter means: itself, else another name of it; none where no session has it. */
export function meantValues(filter: TextFilter, text: string, held: readonly string[]): string[] {
  const same = held.filter((value) => value.toLowerCase() === text.trim().toLowerCase());
  if (same.length > 0) return same;
  const keyOf = filter === 'countries' ? countryKey : browserKey;
  const alike = held.filter((value) => keyOf(value) === keyOf(text));
  if (alike.length > 0 || filter === 'countries') return alike;
  // "Samsung" is "Samsung Internet" as long as nothing else begins so.
  const longer = held.filter((value) => browserKey(value).startsWith(`${browserKey(text)} `));
  return longer.length === 1 ? longer : [];
}

import type { ResourceType } from './har-model.ts';

/** Chrome's `_resourceType` and the values of Sec-Fetch-Dest. */
const BY_PURPOSE = wordsOf({
  document: 'document iframe frame',
  script: 'script worker serviceworker sharedworker',
  stylesheet: 'stylesheet style',
  image: 'image',
  font: 'font',
  xhr: 'xhr fetch empty eventsource',
  media: 'media audio video track texttrack',
});
const BY_EXTENSION = wordsOf({
  document: 'htm html xhtml',
  script: 'js mjs',
  stylesheet: 'css',
  image: 'png jpg jpeg gif webp avif svg ico bmp jxl',
  font: 'woff woff2 ttf otf eot',
  xhr: 'json',
  media: 'mp4 webm mp3 m4a m4v mov ogg ogv wav m3u8',
});
const EXTENSION = /^[^?#]*\.([a-z0-9]{2,5})(?:[?#]|$)/i;

function wordsOf(table: Partial<Record<ResourceType, string>>): Map<string, ResourceType> {
  const types = Object.keys(table) as ResourceType[]; // its own names
  return new Map(types.flatMap((type) => (table[type] ?? '').split(' ').map((word) => [word, type] as const)));
}

/**
 * Type of a request. A redirect or an answer without content is not what its MIME type claims (`byMime`), so only its purpose or file name
 * counts.
 */
export function resourceType(purpose: string, byMime: ResourceType | null, url: string, status: number): ResourceType {
  const byPurpose = BY_PURPOSE.get(purpose);
  if (byPurpose) return byPurpose;
  const empty = status === 204 || (status >= 300 && status < 400 && status !== 304);
  if (byMime && !empty) return byMime;
  const path = url.slice(url.indexOf('/', url.indexOf('://') + 3), 2000);
  return BY_EXTENSION.get(EXTENSION.exec(path)?.[1]?.toLowerCase() ?? '') ?? 'other';
}

const BY_MIME: readonly (readonly [RegExp, ResourceType])[] = [
  [/^text\/html$|^application\/xhtml\+xml$/, 'document'],
  [/^text\/css$/, 'stylesheet'],
  [/javascript|ecmascript/, 'script'],
  [/^image\//, 'image'],
  [/[/+]json$/, 'xhr'],
  [/^font\/|^application\/(?:x-)?font|^application\/vnd\.ms-fontobject$/, 'font'],
  [/^(?:audio|video)\/|mpegurl|dash\+xml/, 'media'],
];

/** The resource type that a MIME type implies, null where it is too vague. */
export function typeOfMime(mime: string): ResourceType | null {
  return BY_MIME.find(([pattern]) => pattern.test(mime))?.[1] ?? null;
}

/** True for types that shrink when compressed: text, scripts, JSON, XML, SVG, and fonts whose format is not compressed. */
export function isCompressible(mime: string): boolean {
  return /^text\/|javascript|ecmascript|[/+]json$|[/+]xml$|^font\/(?:ttf|otf)$|\/wasm$|^application\/x-font-ttf$/.test(mime);
}

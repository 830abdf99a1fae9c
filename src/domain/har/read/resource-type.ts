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
const VAGUE_MIME = new Set(['', 'text/plain', 'application/octet-stream', 'binary/octet-stream', 'x-unknown']);

function wordsOf(table: Partial<Record<ResourceType, string>>): Map<string, ResourceType> {
  const types: ResourceType[] = ['document', 'script', 'stylesheet', 'image', 'font', 'xhr', 'media'];
  return new Map(types.flatMap((type) => (table[type] ?? '').split(' ').map((word): [string, ResourceType] => [word, type])));
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

/** The resource type that a MIME type implies, null where it is too vague. */
export function typeOfMime(mime: string): ResourceType | null {
  if (VAGUE_MIME.has(mime)) return null;
  if (mime === 'text/html' || mime === 'application/xhtml+xml') return 'document';
  if (mime === 'text/css') return 'stylesheet';
  if (/javascript|ecmascript/.test(mime)) return 'script';
  if (mime.startsWith('image/')) return 'image';
  if (/[/+]json$/.test(mime)) return 'xhr';
  if (/^font\/|^application\/(?:x-)?font|^application\/vnd\.ms-fontobject$/.test(mime)) return 'font';
  if (/^(?:audio|video)\/|mpegurl|dash\+xml/.test(mime)) return 'media';
  return null;
}

/** True for types that shrink when compressed: text, scripts, JSON, XML, SVG, and fonts whose format is not compressed. */
export function isCompressible(mime: string): boolean {
  return /^text\/|javascript|ecmascript|[/+]json$|[/+]xml$|^font\/(?:ttf|otf)$|\/wasm$|^application\/x-font-ttf$/.test(mime);
}

/** True for what a program answered a page that is already there: data, not a file of the site. */
export function isApiAnswer({
  type,
  mime,
  method,
}: {
  readonly type: ResourceType;
  readonly mime: string;
  readonly method: string;
}): boolean {
  return type === 'xhr' || method !== 'GET' || /[/+]json$/.test(mime);
}

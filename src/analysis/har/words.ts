/** Priorities as Chrome and its recorders name them. */
export const PRIORITIES = new Set(['VeryHigh', 'High', 'Medium', 'Low', 'VeryLow', 'Highest', 'Lowest', 'Idle']);

/** Render-blocking statuses as Chrome's traces name them. */
export const RENDER_BLOCKING = new Set([
  'blocking',
  'in_body_parser_blocking',
  'potentially_blocking',
  'non_blocking',
  'dynamically_injected_non_blocking',
]);

/** Kinds of initiators as the developer tools name them. */
export const INITIATOR_TYPES = new Set(['parser', 'script', 'preload', 'preflight', 'redirect', 'SignedExchange', 'other']);

/** Chrome's resource types. */
export const RESOURCE_TYPES = new Set(
  'document stylesheet image media font script texttrack xhr fetch prefetch eventsource websocket manifest ping preflight other'.split(' '),
);

/** Protocol version by one name for all spellings of the recorders; null for anything unknown. */
export function protocolName(version: string): string | null {
  const name = version.toLowerCase();
  if (name === 'h2' || name === 'http/2' || name === 'http/2.0' || name === 'h2c' || name === '2.0') return 'h2';
  if (name === 'http/1.1' || name === '1.1') return 'http/1.1';
  if (name === 'http/1.0' || name === '1.0') return 'http/1.0';
  if (name.startsWith('h3') || name === 'http/3' || name === 'http/3.0' || name.includes('quic')) return 'h3';
  return name.startsWith('spdy') ? 'spdy' : null;
}

/** Kinds of problems of a page load; the names are those of the answers. */
export const PROBLEM_KINDS = [
  'failed_document',
  'errors',
  'redirects',
  'slow_document',
  'render_blocking',
  'third_party_blocking',
  'late_lcp_image',
  'slow_lcp_image',
  'blocking_font',
  'slow_answers',
  'heavy_page',
  'uncompressed_text',
  'uncompressed_answers',
  'duplicates',
  'duplicated_scripts',
  'image_formats',
  'http1',
  'reconnects',
  'no_cache',
  'short_cache',
] as const;
/** A kind of problem of a page load. */
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

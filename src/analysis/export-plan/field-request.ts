/** What one text of a list of fields asks for, before it is looked up. */
export interface FieldRequest {
  /** The text as it came. */
  readonly asked: string;
  /** `any` may be a field or a variable. */
  readonly kind: 'any' | 'custom' | 'dynamic';
  /** The words that name it, without quotes; empty where only the kind was said. */
  readonly words: string;
  /** Name of the column, from `… as name`. */
  readonly alias?: string;
}

const ALIAS = /^(.*\S)\s+as\s+(\S+)$/i;
const FIRST = /^(?:(?:our|the|my)\s+)?(custom|dynamic)[\s_-]*(?:variables?|vars?)\b[\s:=#]*(.*)$/i;
const LAST = /^(?:(?:our|the|my)\s+)?(.+?)\s*\(?(custom|dynamic)[\s_-]*(?:variable|var)\)?$/i;
const QUOTES = /["'`«»“”„‘’]/g;

function bare(text: string): string {
  return text.replaceAll(QUOTES, '').replace(/^(?:called|named|position|key|no\.?)\s+/i, '').trim(); // biome-ignore format: one thought
}

/** Reads `browser`, `revenue as money`, `custom variable "plan"`, `dynamic_var:basket`. */
export function readFieldRequest(text: string): FieldRequest {
  const asked = text.trim();
  const [, withoutAlias = asked, aliasText] = ALIAS.exec(asked) ?? [];
  const alias = aliasText === undefined ? {} : { alias: bare(aliasText) };
  const first = FIRST.exec(withoutAlias);
  const last = first ? null : LAST.exec(withoutAlias);
  const [kind, words] = first ? [first[1], first[2]] : last ? [last[2], last[1]] : ['any', withoutAlias];
  return { asked, kind: kindOf(kind), words: bare(words ?? ''), ...alias };
}

function kindOf(text: string | undefined): FieldRequest['kind'] {
  const word = text?.toLowerCase();
  return word === 'custom' || word === 'dynamic' ? word : 'any';
}

/** Tokens as answers count them: four characters each. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** `fits: false`: dropping items cannot help, because there is no list at the path or not even one item fits; `data` is then unchanged. */
export interface Fitted<T> {
  fits: boolean;
  data: T;
  /** Items left and items there were; both 0 where there is no list. */
  shown: number;
  total: number;
}

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listAt(data: unknown, path: readonly string[]): readonly unknown[] | undefined {
  const found = path.reduce<unknown>((value, name) => (isMembers(value) ? value[name] : undefined), data);
  return Array.isArray(found) ? found : undefined;
}

function withList(data: unknown, [name, ...rest]: readonly string[], list: readonly unknown[]): unknown {
  if (name === undefined || !isMembers(data)) return list;
  return { ...data, [name]: withList(data[name], rest, list) };
}

/**
 * Keeps as many leading items of the list at `path` (`reports`, `scenario.reports`) as fit into `budgetTokens`; nothing else is touched.
 * `measure` tells the tokens of an answer, by default those of its JSON; it must not shrink when items are added.
 */
export function fitToBudget<T extends object>(
  data: T,
  path: string,
  budgetTokens: number,
  measure: (data: T) => number = (candidate) => countTokens(JSON.stringify(candidate)),
): Fitted<T> {
  const names = path.split('.');
  const list = listAt(data, names) ?? [];
  const total = list.length;
  if (measure(data) <= budgetTokens) return { fits: true, data, shown: total, total };

  const leading = (count: number) => withList(data, names, list.slice(0, count)) as T; // a shorter list has the same type
  let fitting = 0;
  let tooMany = total;
  while (tooMany - fitting > 1) {
    const count = Math.floor((fitting + tooMany) / 2);
    if (measure(leading(count)) <= budgetTokens) fitting = count;
    else tooMany = count;
  }
  if (fitting === 0) return { fits: false, data, shown: total, total };
  return { fits: true, data: leading(fitting), shown: fitting, total };
}

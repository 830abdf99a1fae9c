/** Notes that stand for a session as a whole: each process says them once to a principal, then leaves them out for some minutes. */
const STANDING = /^(?:- )?Project: /;

/** A first answer as a process gives it again to the same principal: the same in all but the standing notes. */
export function repeated<T>(answer: T): T;
export function repeated(answer: unknown): unknown {
  const isLeft = (line: unknown) => !STANDING.test(String(line));
  if (typeof answer === 'string')
    return answer
      .split('\n')
      .filter(isLeft)
      .join('\n')
      .replace(/\nnotes:$/, '');
  if (Array.isArray(answer)) return answer.map(repeated);
  if (typeof answer !== 'object' || answer === null) return answer;
  const members = Object.entries(answer).map(([name, value]) => [name, name === 'notes' ? value.filter(isLeft) : repeated(value)]);
  return Object.fromEntries(members.filter(([name, value]) => name !== 'notes' || value.length > 0));
}

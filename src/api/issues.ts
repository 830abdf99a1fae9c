import type * as z from 'zod';

/** `frequency.dateRange.to`, `fields[2].fieldName`. */
function memberOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') {
    const choices = issue.errors.flatMap((issues) => issues.slice(0, 1).map(expectation));
    return choices.length > 0 ? [...new Set(choices)].join(', or ') : 'fits none of the accepted forms';
  }
  const message = issue.message.replace(/^(Invalid input|Invalid option|Too small|Too big): /, '');
  return message.endsWith(', received undefined') ? `${message.replace(', received undefined', '')}, but it is missing` : message;
}

/** Words each broken rule as "member: what is expected"; `members` are the names that are taken at all. */
export function wordIssues(issues: readonly z.core.$ZodIssue[], members: readonly string[]): string[] {
  return issues.flatMap((issue) => {
    const member = memberOf(issue.path);
    if (issue.code === 'unrecognized_keys') {
      const among = member === '' ? `; expected one of ${members.join(', ') || 'no members at all'}` : '';
      return issue.keys.map((key) => `${memberOf([...issue.path, key])}: is not known here${among}`);
    }
    return [`${member || 'input'}: ${expectation(issue)}`];
  });
}

/** Complaints that are told at once; the rest is like them. */
const MAX_COMPLAINTS = 20;

/** The complaints as one text; of a long list its beginning and how many there are more. */
export function listed(complaints: readonly string[], separator: string): string {
  const more = complaints.length - MAX_COMPLAINTS;
  return more > 0 ? `${complaints.slice(0, MAX_COMPLAINTS).join(separator)}${separator}and ${more} more` : complaints.join(separator);
}

/** The identity of a subject of an issuer; unambiguous, because no issuer's address holds a `#`. */
export function subjectId(issuer: string, subject: string): string {
  return `${issuer}#${subject}`;
}

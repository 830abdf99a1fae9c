/** A HAR file that cannot be read; the message is a sentence that says where and what was expected, and quotes nothing of the file. */
export class HarError extends Error {
  /** A position such as `line 3, column 17` or a member path such as `log.entries[12].request.url`; null when the file as a whole is meant. */
  readonly where: string | null;

  constructor(message: string, where: string | null = null, cause?: unknown) {
    super(message, { cause });
    this.name = 'HarError';
    this.where = where;
  }
}

/** What keeps a download or the workspace from going on; the message is a sentence that says what to do next. */
export type WorkspaceErrorKind =
  /** The disk or the quota has no room. */
  | 'full'
  /** The directory cannot be written or read. */
  | 'disk'
  /** Another server or a query uses the run. */
  | 'busy'
  /** The platform keeps the files no longer, or the run has none. */
  | 'gone'
  /** The run itself failed. */
  | 'failed'
  /** The address of a file must not be asked. */
  | 'address'
  /** The file store refused or broke off again and again. */
  | 'store'
  /** What arrived is not the whole file. */
  | 'damaged';

export class WorkspaceError extends Error {
  readonly kind: WorkspaceErrorKind;

  constructor(kind: WorkspaceErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'WorkspaceError';
    this.kind = kind;
  }
}

/** Refuses a request the way the platform does: HTTP status, `success: false`, `errorMessage`, `errorCode`. */
export class Refusal extends Error {
  readonly status: number;
  readonly errorCode: string;
  readonly headers: Record<string, string>;

  constructor(status: number, errorCode: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.errorCode = errorCode;
    this.headers = headers;
  }
}

import { createRedactor } from './redact.ts';

/** Levels from the most to the least urgent. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
/** A level of log lines, the gravest first. */
export type LogLevel = (typeof logLevels)[number];

/** How a line is written: for people, or one JSON object for collectors. */
export const logFormats = ['words', 'json'] as const;
/** Lines as text or as JSON. */
export type LogFormat = (typeof logFormats)[number];

/** Searchable fields of a line beside its message; none is secret or names a person. */
export type LogFields = Readonly<Record<string, string | number | undefined>>;

/** Writes one line; the text holds no secret. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/** Format and destination of log lines. */
export interface LogOptions {
  readonly format?: LogFormat | undefined;
  /** Milliseconds since 1970, for the format that says when. */
  readonly now?: () => number;
  /** Takes one line with its end; default stderr, because stdout belongs to the protocol. */
  readonly write?: (line: string, level: LogLevel) => void;
}

/** Removes what looks like a secret, and line breaks that would begin another line. */
const redact = createRedactor([]);
const clean = (text: string): string => redact(text).replaceAll(/\p{Cc}+/gu, ' ');

let guarded = false;
let waiting = '';
let timer: NodeJS.Timeout | undefined;
/** Lines are written together: each write to a pipe stops the process until it is done. */
const TOGETHER_MS = 50;

function flush(): void {
  clearTimeout(timer);
  timer = undefined;
  const lines = waiting;
  waiting = '';
  if (lines !== '') process.stderr.write(lines);
}

function toStderr(line: string, level: LogLevel): void {
  if (!guarded) {
    // The reader of the log may go away; that must not end the process.
    process.stderr.on('error', () => undefined);
    process.on('exit', flush);
  }
  guarded = true;
  waiting += line;
  if (level === 'error' || level === 'warn') flush();
  else timer ??= setTimeout(flush, TOGETHER_MS).unref();
}

/** Lines as urgent as `threshold` or more. */
export function createLog(threshold: LogLevel = 'warn', options: LogOptions = {}): Log {
  const { format = 'words', now = Date.now, write = toStderr } = options;
  return (level, message, fields = {}) => {
    if (logLevels.indexOf(level) > logLevels.indexOf(threshold)) return;
    const known = Object.entries(fields).filter(([, value]) => value !== undefined);
    const facts = known.map(([name, value]) => [name, typeof value === 'string' ? clean(value) : value] as const);
    if (format === 'json') {
      write(
        `${JSON.stringify({ time: new Date(now()).toISOString(), level, message: clean(message), ...Object.fromEntries(facts) })}\n`,
        level,
      );
    } else {
      write(`web-analytics-mcp ${level}: ${[clean(message), ...facts.map(([name, value]) => `${name}=${value}`)].join(' ')}\n`, level);
    }
  };
}

/** Levels from the most to the least urgent. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Writes one line; the text holds no secret. */
export type Log = (level: LogLevel, message: string) => void;

/** Lines on stderr as urgent as `threshold` or more; stdout belongs to the protocol. */
export function createLog(threshold: LogLevel): Log {
  return (level, message) => {
    if (logLevels.indexOf(level) <= logLevels.indexOf(threshold)) process.stderr.write(`web-analytics-mcp ${level}: ${message}\n`);
  };
}

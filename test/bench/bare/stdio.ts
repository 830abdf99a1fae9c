import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { buildServer } from './echo.ts';

serveStdio(buildServer);

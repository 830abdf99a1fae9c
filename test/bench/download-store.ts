import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

const ROW = {
  project_id: 1201,
  user_id: '7285904643674072045',
  session_id: '20776000000',
  session_number: 2,
  session_time: '2026-11-19T00:01:03.000Z',
  browser_name: 'Chrome',
  country_code: 'DE',
  revenue_cents: 12_345,
};
const LINE = `${JSON.stringify(ROW)}\n`;
const BLOCK = Buffer.from(LINE.repeat(Math.floor(1_048_576 / LINE.length)));

// A store of its own process: `/large` has as many blocks as the first argument says, `/small` one. It writes as fast as it is read.
const server = createServer((request, response) => {
  const wanted = request.url === '/large' ? Number(process.argv[2]) : 1;
  response.writeHead(200, { 'content-length': String(wanted * BLOCK.length), etag: `"${wanted}"` });
  Readable.from(Array.from({ length: wanted }, () => BLOCK)).pipe(response);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

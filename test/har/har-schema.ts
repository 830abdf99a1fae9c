import * as z from 'zod';

const pair = z.object({ name: z.string(), value: z.string() });
const size = z.number().min(-1);
const date = z.iso.datetime({ offset: true, local: false });
const maker = z.object({ name: z.string(), version: z.string() });

/** HAR 1.2 with all members it requires. */
export const harSchema = z.object({
  log: z.object({
    version: z.literal('1.2'),
    creator: maker,
    browser: maker.optional(),
    pages: z
      .array(
        z.object({
          startedDateTime: date,
          id: z.string(),
          title: z.string(),
          pageTimings: z.object({ onContentLoad: size, onLoad: size }),
        }),
      )
      .optional(),
    entries: z.array(
      z.object({
        pageref: z.string().optional(),
        startedDateTime: date,
        time: z.number().min(0),
        request: z.object({
          method: z.string().min(1),
          url: z.string().min(1),
          httpVersion: z.string().min(1),
          cookies: z.array(z.never()),
          headers: z.array(pair),
          queryString: z.array(pair),
          postData: z.object({ mimeType: z.string(), text: z.literal(''), comment: z.string() }).optional(),
          headersSize: size,
          bodySize: size,
        }),
        response: z.object({
          status: z.number().int().min(0),
          statusText: z.string(),
          httpVersion: z.string().min(1),
          cookies: z.array(z.never()),
          headers: z.array(pair),
          content: z.object({ size, mimeType: z.string(), text: z.undefined().optional() }),
          redirectURL: z.string(),
          headersSize: size,
          bodySize: size,
        }),
        cache: z.strictObject({}),
        timings: z.object({ blocked: size, dns: size, connect: size, ssl: size, send: size, wait: size, receive: size }),
      }),
    ),
  }),
});

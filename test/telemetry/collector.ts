import { listen } from '../support/stub-platform.ts';

/** A span as it arrived, its attributes by name. */
export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** 2: of a server, 3: of a client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 where something went wrong. */
  readonly status: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** A stub of an OpenTelemetry collector that takes OTLP over HTTP. */
export interface Collector {
  readonly url: string;
  /** What has arrived so far. */
  readonly spans: Span[];
  /** Attributes of the resources that sent them. */
  readonly resources: Readonly<Record<string, unknown>>[];
  /** All bodies and headers as text. */
  readonly texts: string[];
  /** What it answers; 0: nothing, ever. */
  status: number;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

type RawSpan = Readonly<Record<'name' | 'traceId' | 'spanId' | 'startTimeUnixNano' | 'endTimeUnixNano', string>> & {
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code?: number };
};

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

function byName(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function toSpan({ name, traceId, spanId, parentSpanId = '', kind, attributes, status, ...times }: RawSpan): Span {
  const [startMs, endMs] = [times.startTimeUnixNano, times.endTimeUnixNano].map((nanoseconds) => Number(BigInt(nanoseconds) / 1_000_000n));
  return {
    name,
    traceId,
    spanId,
    parentSpanId,
    kind,
    attributes: byName(attributes),
    status: status?.code ?? 0,
    startMs: startMs ?? 0,
    endMs: endMs ?? 0,
  };
}

/** Starts a collector on a free port; it stops when the test ends. */
export async function openCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const resources: Record<string, unknown>[] = [];
  const texts: string[] = [];
  const { url } = await listen((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.once('end', () => {
      texts.push(JSON.stringify(request.headers), body);
      if (collector.status === 200) {
        for (const { resource, scopeSpans } of (JSON.parse(body) as Body).resourceSpans) {
          resources.push(byName(resource.attributes));
          spans.push(...scopeSpans.flatMap((scope) => scope.spans.map(toSpan)));
        }
      }
      if (collector.status !== 0) response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const collector: Collector = { url, spans, resources, texts, status: 200 };
  return collector;
}

/** What the tests read of pagexray, which comes without types. */
declare module 'pagexray' {
  interface Page {
    requests: number;
    /** `bodySize` as recorded, -1 included. */
    transferSize: number;
    headerSize: number;
    documentRedirects: number;
    responseCodes: Record<string, number>;
    domains: Record<string, { requests: number }>;
  }
  const pagexray: { convert: (har: unknown) => Page[] };
  export default pagexray;
}

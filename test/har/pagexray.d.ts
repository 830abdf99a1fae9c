/** What the tests read of pagexray, which comes without types. */
declare module 'pagexray' {
  interface Asset {
    type: string;
    url: string;
    status: number;
    /** `bodySize` as recorded, -1 included. */
    transferSize: number;
    headerSize: number;
    contentSize: number;
  }
  interface Page {
    requests: number;
    transferSize: number;
    headerSize: number;
    contentSize: number;
    documentRedirects: number;
    responseCodes: Record<string, number>;
    contentTypes: Record<string, { requests: number }>;
    domains: Record<string, { requests: number }>;
    assets: Asset[];
  }
  const pagexray: { convert: (har: unknown, options: { includeAssets: boolean }) => Page[] };
  export default pagexray;
}

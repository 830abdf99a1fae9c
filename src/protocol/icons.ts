/** A picture that hosts show beside a name; inline, because a host may fetch nothing from an address that it does not know. */
interface Icon {
  readonly src: string;
  readonly mimeType: string;
  readonly sizes: string[];
}

function inline(svg: string): Icon[] {
  const escaped = encodeURI(svg.replaceAll('"', "'")).replaceAll('#', '%23'); // a valid address, which some clients check
  return [{ src: `data:image/svg+xml,${escaped}`, mimeType: 'image/svg+xml', sizes: ['any'] }];
}

/** The product's own icon: `assets/icon.svg` without the space between its elements. */
export const productIcons = inline(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512"><rect width="512" height="512" rx="112" ' +
    'fill="#14532d"/><g fill="#bbf7d0"><rect x="104" y="288" width="56" height="120" rx="12"/><rect x="192" y="224" width="56" ' +
    'height="184" rx="12"/><rect x="280" y="256" width="56" height="152" rx="12"/><rect x="368" y="152" width="56" height="256" ' +
    'rx="12"/></g><path d="M104 236 L220 164 L308 196 L420 96" fill="none" stroke="#facc15" stroke-width="26" ' +
    'stroke-linecap="round" stroke-linejoin="round"/><circle cx="420" cy="96" r="30" fill="#facc15"/></svg>',
);

/** One path of 24 × 24 each; a green that shows on light and dark ground. */
const PATHS: Readonly<Record<string, string>> = {
  insights: 'M4 20V11h4v9zm6 0V4h4v16zm6 0v-6h4v6z',
  journeys: 'M3 4h18l-7 8v8l-4-2v-6z',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-8 8c0-5 16-5 16 0z',
  'speed-analysis': 'M13 2L5 14h6l-1 8 9-12h-7z',
  'data-export': 'M10 3h4v8h4l-6 6-6-6h4zM4 19h16v2H4z',
  objects: 'M3 3h8v8H3zm10 0h8v8h-8zM3 13h8v8H3zm10 0h8v8h-8z',
  metrics: 'M3 17l6-7 4 4 6-9 2 2-8 12-4-4-4 5z',
  enrichment: 'M10 4h4v6h6v4h-6v6h-4v-6H4v-4h6z',
};

const drawn = new Map(
  Object.entries(PATHS).map(([toolset, path]) => [
    toolset,
    inline(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#16a34a" d="${path}"/></svg>`),
  ]),
);

/** The icon of the tools of a toolset. */
export function toolsetIcons(toolset: string): Icon[] | undefined {
  return drawn.get(toolset);
}

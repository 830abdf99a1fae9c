/** The median page of the web in 2024: what a page weighs and asks for, by device. */
export const PAGE_MEDIANS = {
  desktop: { transferBytes: 2_652_000, requests: 71 },
  mobile: { transferBytes: 2_311_000, requests: 66 },
} as const;

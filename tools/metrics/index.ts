import type { Toolset } from '../../src/tooling/tool.ts';
import getSiteBounceRate from './get-site-bounce-rate.ts';
import getSiteCartAverage from './get-site-cart-average.ts';
import getSiteConversionRate from './get-site-conversion-rate.ts';
import getSiteConversions from './get-site-conversions.ts';
import getSiteMetrics from './get-site-metrics.ts';
import getSitePageviewAverage from './get-site-pageview-average.ts';
import getSiteRevenue from './get-site-revenue.ts';
import getSiteSessionTimeAverage from './get-site-session-time-average.ts';
import getSiteVisits from './get-site-visits.ts';
import getZoneConversionRatePerTap from './get-zone-conversion-rate-per-tap.ts';
import getZoneMetrics from './get-zone-metrics.ts';
import getZoneRevenue from './get-zone-revenue.ts';
import getZoneRevenuePerTap from './get-zone-revenue-per-tap.ts';
import getZoneSwipeRate from './get-zone-swipe-rate.ts';
import getZoneSwipeRecurrence from './get-zone-swipe-recurrence.ts';
import getZoneTapRate from './get-zone-tap-rate.ts';
import getZoneTapRecurrence from './get-zone-tap-recurrence.ts';
import getZoneTimeBeforeFirstTap from './get-zone-time-before-first-tap.ts';

export default {
  name: 'metrics',
  description: 'Site metrics and zone metrics over a range of dates',
  tools: [
    getSiteMetrics,
    getSiteBounceRate,
    getSiteCartAverage,
    getSiteConversions,
    getSiteConversionRate,
    getSitePageviewAverage,
    getSiteRevenue,
    getSiteSessionTimeAverage,
    getSiteVisits,
    getZoneMetrics,
    getZoneConversionRatePerTap,
    getZoneRevenue,
    getZoneRevenuePerTap,
    getZoneSwipeRate,
    getZoneSwipeRecurrence,
    getZoneTapRate,
    getZoneTapRecurrence,
    getZoneTimeBeforeFirstTap,
  ],
} satisfies Toolset;

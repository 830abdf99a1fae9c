import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openProjectWorkspace, type ProjectWorkspace } from '../../../src/exports/project-workspace.ts';
import type { RunManifest } from '../../../src/exports/store/manifest.ts';
import type { ImpactAnswer, ImpactRow } from '../../../src/journeys/impact/impact-answer.ts';
import { isoTime, systemClock } from '../../../src/lib/clock.ts';
import { scoreOfTail, Z_95 } from '../../../src/statistics/tails.ts';
import { withEmulator } from '../emulator.ts';
import { compare, tableOf } from '../gate/compare.ts';
import type { GateRow } from '../gate-row.ts';
import { openPeer } from '../peer.ts';
import { numberAfter } from '../tables.ts';
import { type Random, seeded } from '../verdicts/random.ts';
import { claimedLosses, oracleOf, type Unit, unitsOf } from './oracle.ts';
import { DAYS, FIRST_DAY_MS, PAGES, type Page, type Session, type Trouble, type Truth, type View, type World, worldOf } from './world.ts';

/** Asks the built product about a world. */
type Ask = (args: object) => Promise<ImpactAnswer>;

function sessionLine({ visitor, user, startMs, views, revenueCents, variant }: Session, id: number): object {
  return {
    user_id: user,
    session_id: String(id),
    session_number: visitor.isReturning ? 3 : 1,
    session_time: isoTime(startMs),
    session_number_of_views: views.length,
    session_number_of_transactions: revenueCents > 0 ? 1 : 0,
    session_transactions_revenue_cents: revenueCents,
    device_id: visitor.device,
    country_code: visitor.country,
    browser_name: visitor.browser,
    browser_version: String(visitor.version),
    referer_url: visitor.referrer,
    custom_var_3: variant,
  };
}

function viewLines({ user, views }: Session, id: number): object[] {
  return views.map((view, at) => ({
    user_id: user,
    session_id: String(id),
    view_number: at + 1,
    view_time: isoTime(view.startMs),
    path: view.path,
    fully_loaded: view.loadMs,
    frustration_score: view.frustration,
    rage_click_all_targets_ind: view.rageClick,
    any_js_error_ind: view.messages.length > 0,
    any_api_error_ind: view.apiError,
    'errors.message': view.messages,
  }));
}

function writeScope(workspace: ProjectWorkspace, scope: 'sessions' | 'views', rows: readonly object[]): void {
  const [jobId, runId] = scope === 'sessions' ? [31, 101] : [32, 201];
  const directory = workspace.directoryOf({ jobId, runId });
  mkdirSync(directory, { recursive: true });
  const content = gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), { level: 1 });
  const name = 'part-00001.jsonl.gz';
  writeFileSync(join(directory, name), content);
  const about = { version: 1 as const, jobId, jobName: `Job ${jobId}`, runId, scope, format: 'JSONL' };
  const exportedAt = isoTime(FIRST_DAY_MS + (DAYS + 1) * 86_400_000);
  const variable = { fieldName: 'custom_var', customVarPosition: 3 };
  const fields = Object.keys(rows[0] ?? {}).map((fieldName) => (fieldName === 'custom_var_3' ? variable : { fieldName }));
  const range = { from: isoTime(FIRST_DAY_MS), to: isoTime(FIRST_DAY_MS + DAYS * 86_400_000), exportedAt, downloadedAt: exportedAt };
  const files = [{ name, bytes: content.length, sha256: '', gzip: true }];
  const manifest: RunManifest = { ...about, ...range, fields, files };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
}

/** Writes a world as downloaded files and lets the product, a process as hosts start it, answer over them. */
async function withProduct<T>(
  world: World,
  product: string,
  environment: Record<string, string>,
  use: (ask: Ask) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'impact-bench-'));
  const none = () => Promise.reject(new Error('Nothing is asked of the platform here.'));
  const [authUrl = '', projectId = ''] = [environment['WEB_ANALYTICS_AUTH_URL'], environment['WEB_ANALYTICS_PROJECT_ID']];
  const owner = { dir, principal: 'local', authUrl, projectId: Number(projectId) };
  const workspace = openProjectWorkspace({ ...owner, quotaMb: 1_000, ask: none, askKept: none, clock: systemClock });
  writeScope(workspace, 'sessions', world.sessions.map(sessionLine));
  writeScope(workspace, 'views', world.sessions.flatMap(viewLines));
  await workspace.close();
  const peer = await openPeer([product], { ...environment, WEB_ANALYTICS_DATA_DIR: dir });
  try {
    return await use((args) => peer.answer('measure_impact', args));
  } finally {
    await peer.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

type Plan = Omit<Trouble, 'drives' | 'isTrap'> & { readonly isTrap?: boolean };

const SHOP: readonly Page[] = ['home', 'category', 'product', 'search', 'cart', 'address', 'payment'];

/** Trouble that comes by chance, or with something that has its own share in who buys. */
function plansOf(random: Random): Plan[] {
  const part = (low: number, high: number) => low + (high - low) * random.uniform();
  const [rare, some, often] = [part(0.01, 0.03), part(0.02, 0.05), part(0.04, 0.09)];
  return [
    {
      kind: 'js_error',
      pages: ['product'],
      message: "TypeError: Cannot read properties of undefined (reading 'price')",
      chance: () => some,
    },
    { kind: 'js_error', pages: ['cart'], message: 'ChunkLoadError: Loading chunk # failed.', chance: () => often },
    {
      kind: 'js_error',
      pages: ['payment'],
      message: 'Error: order # could not be priced at https://api.example/v2/price?id=#',
      chance: () => often,
    },
    // Traps: old browsers, deep visits, a campaign's page, one country, phones.
    {
      kind: 'js_error',
      pages: SHOP,
      message: 'SyntaxError: Unexpected token =',
      chance: ({ isOld }) => (isOld ? 0.5 : 0.004),
      isTrap: true,
    },
    {
      kind: 'js_error',
      pages: SHOP,
      message: 'Error: cache of # entries is full',
      chance: (_, depth) => (depth > 5 ? 0.25 : 0.002),
      isTrap: true,
    },
    {
      kind: 'js_error',
      pages: ['category', 'product', 'guide'],
      message: 'ReferenceError: utm is not defined',
      isTrap: true,
      chance: ({ entry, referrer }) => (referrer === 'https://ads.example/' || entry === 'guide' ? 0.2 : 0.01),
    },
    {
      kind: 'js_error',
      pages: ['home', 'product'],
      message: 'Script error.',
      chance: ({ country }) => (country === 'PL' ? 0.12 : 0.01),
      isTrap: true,
    },
    { kind: 'api_error', pages: ['cart', 'address', 'payment'], chance: () => some },
    {
      kind: 'api_error',
      pages: ['home', 'category', 'product', 'search'],
      chance: ({ device }) => (device === 2 ? 0.04 : 0.01),
      isTrap: true,
    },
    { kind: 'rage_click', pages: ['address', 'payment'], chance: () => often },
    {
      kind: 'rage_click',
      pages: ['home', 'category', 'product', 'search', 'cart'],
      chance: ({ device }, depth) => rare * (device === 2 ? 2.5 : 1) * (1 + depth / 6),
      isTrap: true,
    },
    ...(['home', 'category', 'product', 'search', 'cart', 'payment'] as const).map(
      (page): Plan => ({ kind: 'slow_page', pages: [page], overMs: 4_000, chance: () => 0, isTrap: page === 'home' }),
    ),
  ];
}

/** A site's troubles: `costly` of those that are no traps drive visitors away, each by its own chance. */
function troublesOf(random: Random, costly: number): Trouble[] {
  const plans = plansOf(random);
  const chosen = new Set<Plan>();
  const possible = plans.filter(({ isTrap }) => !isTrap);
  while (chosen.size < costly) chosen.add(possible[random.integer(0, possible.length - 1)] as Plan); // within the list
  return plans.map((plan) => ({
    ...plan,
    isTrap: plan.isTrap ?? false,
    drives: chosen.has(plan) ? 0.12 + 0.45 * random.uniform() : 0,
  }));
}

const DEFAULTS = { worlds: 200, seed: 1, sessions: 20_000 };
/** A regression that knows the intent sees it clearly. */
const CLEAR = -4;

type Share = readonly [what: string, bound?: number, better?: GateRow['better']];
/** What is counted: the bound that holds and which way is better. */
const SHARES = {
  found: ['planted effects that a regression which knows the intent finds at |z| ≥ 4, found', 85],
  blamed: ['conditions without effect called harmful', 5, 'lower'],
  unplanted: ['named effects that were not planted', 5, 'lower'],
  trapsBlamed: ['traps called harmful', 5, 'lower'],
  held: ['95 % intervals of lost conversions that hold the truth, planted', 92],
  heldNull: ['the same of conditions without effect', 92],
  heldRevenue: ['95 % intervals of lost revenue that hold the truth, planted'],
  costliestFirst: ['costliest condition first, where the regression sees one', 90],
  firstByTruth: ['the same, or one that costs as much or more by the truth'],
  oracleFirstOfAll: ['the same by a regression that knows the intent'],
  oracleFirst: ['the same by that regression, told which conditions cost anything'],
  winners: ['tests of equal variants with a winner', 5, 'lower'],
  mismatchesFound: ['sample ratio mismatches of 46 : 54 found'],
} satisfies Readonly<Record<string, Share>>;
/** Each time that something counted could have been, and whether it was. */
type Tally = [keyof typeof SHARES, boolean][];

const PATTERNS: Readonly<Record<Page, string>> = {
  home: '/',
  category: '/c/*',
  product: '/p/*',
  search: '/search',
  guide: '/guide/*',
  cart: '/cart',
  address: '/checkout/address',
  payment: '/checkout/payment',
  confirmation: '/checkout/confirmation',
};

const textOf = (message: string) => message.replace(/https:\S+/, '{address}').replaceAll('#', '0');
const foldedText = (message: string) => message.replaceAll(/\d+|#/g, '0');

/** The trouble of the world that a row is about; undefined for frustration, which no world plants. */
function troubleOf(row: ImpactRow, page: Page, { troubles }: World): Trouble | undefined {
  return troubles.find(
    (trouble) =>
      trouble.kind === row.what &&
      trouble.pages.includes(page) &&
      (trouble.message === undefined || foldedText(textOf(trouble.message)) === foldedText(row.message ?? '')),
  );
}

interface Matched {
  readonly row: ImpactRow;
  readonly page: Page;
  readonly trouble: Trouble;
  readonly truth: Truth | undefined;
}

function matchedRows(rows: readonly ImpactRow[], world: World): Matched[] {
  return rows.flatMap((row) => {
    const page = PAGES.find((each) => PATTERNS[each] === row.pages[0]);
    const trouble = page && troubleOf(row, page, world);
    return page && trouble ? [{ row, page, trouble, truth: world.truths.get(trouble)?.get(page) }] : [];
  });
}

/** Whether a row is about exactly the loads that cost sales: the product chooses limits by the page. */
function isSameLimit({ row, trouble }: Matched): boolean {
  return trouble.overMs === undefined || row.condition.includes(`over ${trouble.overMs / 1000} s`);
}

function tallyIntervals(matched: readonly Matched[], tally: Tally): void {
  for (const each of matched) {
    const { row, trouble, truth } = each;
    const { lostConversions, lostConversionsLow, lostConversionsHigh, lostRevenue, lostRevenueLow, lostRevenueHigh, intervalPercent } = row;
    if (!truth || lostConversions === undefined || intervalPercent === undefined || !isSameLimit(each) || row.verdict === 'too few')
      continue;
    const part = row.comparable / row.sessions;
    // An answer's intervals are as wide as its verdicts ask; the cover of those of 95 % is the sharper test.
    const times = Z_95 / scoreOfTail(Math.log(1 - intervalPercent / 100));
    const isWithin = (real: number, value = 0, low = 0, high = 0) =>
      times * (low - value) - 0.05 <= real * part - value && real * part - value <= times * (high - value) + 0.05;
    const isHeld = isWithin(truth.lostConversions, lostConversions, lostConversionsLow, lostConversionsHigh);
    if (trouble.drives === 0) {
      tally.push(['heldNull', isHeld]);
      continue;
    }
    const isRevenueHeld = isWithin(truth.lostCents / 100, lostRevenue, lostRevenueLow, lostRevenueHigh);
    tally.push(['held', isHeld], ['heldRevenue', isRevenueHeld]);
  }
}

/** What a regression that knows the intent says of every condition at a page, with what it cost by the truth. */
function costsOf(world: World) {
  const units = new Map(PAGES.map((page) => [page, unitsOf(world.sessions, page)]));
  return world.troubles.flatMap((trouble) =>
    trouble.pages.flatMap((page) => {
      const truth = world.truths.get(trouble)?.get(page);
      if (!truth) return [];
      const isExposed = ({ session, at }: Unit) => (session.views[at] as View).troubles.includes(trouble); // at its view
      return [{ trouble, page, truth, ...oracleOf(units.get(page) ?? [], isExposed) }];
    }),
  );
}

/** Whether what a row names was planted: a score of frustration is made of the clicks and errors of its page. */
function isPlanted({ what, verdict, pages: [page = ''], message }: ImpactRow, { troubles }: World): boolean {
  if (verdict !== 'lowers') return false;
  return troubles.some(
    ({ kind, pages, drives, message: own }) =>
      drives > 0 &&
      (page === 'all pages' || pages.some((each) => PATTERNS[each] === page)) &&
      (what === 'frustration' ? kind !== 'slow_page' : kind === what) &&
      (message === undefined || own === undefined || foldedText(textOf(own)) === foldedText(message)),
  );
}

function ownRowOf(matched: readonly Matched[], { trouble, page }: Pick<Matched, 'trouble' | 'page'>): string {
  const row = matched.find((each) => each.trouble === trouble && each.page === page)?.row;
  return row ? `${row.verdict} ${row.lostConversions}` : 'is missing';
}

function tallyWorld(world: World, rows: readonly ImpactRow[], tally: Tally, misses: string[]): void {
  const matched = matchedRows(rows, world);
  for (const row of rows) {
    const { condition, verdict, differencePoints, sessions } = row;
    if (verdict !== 'lowers' && verdict !== 'raises') continue;
    const isUnplanted = !isPlanted(row, world);
    tally.push(['unplanted', isUnplanted]);
    if (isUnplanted) misses.push(`${world.seed}: not planted: ${condition} ${verdict} (${differencePoints} points, ${sessions} sessions)`);
  }
  tallyIntervals(matched, tally);
  const all = world.troubles.some(({ drives }) => drives > 0) ? costsOf(world) : [];
  const costs = all.filter(({ trouble }) => trouble.drives > 0);
  for (const { trouble, page, score } of costs) {
    if (score > CLEAR) continue;
    const said = matched.find((each) => each.trouble === trouble && each.page === page)?.row.verdict;
    tally.push(['found', said === 'lowers']);
    if (said !== 'lowers')
      misses.push(`${world.seed}: ${trouble.kind} on ${page}, regression ${score.toFixed(1)}, said ${said ?? 'nothing'}`);
  }
  for (const { row, page, trouble } of matched) {
    if (trouble.drives > 0) continue;
    const isBlamed = row.verdict === 'lowers';
    tally.push([trouble.isTrap ? 'trapsBlamed' : 'blamed', isBlamed]);
    if (isBlamed) misses.push(`${world.seed}: blamed ${trouble.kind} ${trouble.message ?? ''} on ${page}`);
  }
  const clear = costs.filter(({ score }) => score <= CLEAR).toSorted((a, b) => b.truth.lostConversions - a.truth.lostConversions);
  const [first] = clear;
  if (!first) return;
  const [top] = rows;
  const topTruth = matched.find(({ row }) => row === top)?.truth?.lostConversions ?? 0;
  const isFirst = matched.some((each) => each.row === top && each.trouble === first.trouble && each.page === first.page);
  const costliestOf = (costly: ReturnType<typeof costsOf>) => costly.toSorted((a, b) => b.lost - a.lost)[0];
  tally.push(
    ['costliestFirst', isFirst],
    // What costs as much or more, but is not seen clearly by the regression, is rightly first too.
    ['firstByTruth', topTruth >= first.truth.lostConversions],
    // Which of the same conditions the regression would put first: what chance alone leaves of the order.
    ['oracleFirst', costliestOf(clear) === first],
    // The same where it must find out which conditions cost anything, as the product must.
    ['oracleFirstOfAll', costliestOf(claimedLosses(all)) === first],
  );
  if (!isFirst)
    misses.push(
      `${world.seed}: first is ${top?.condition}, costliest is ${first.trouble.kind} on ${first.page} ` +
        `(by truth ${clear.map(({ truth }) => truth.lostConversions.toFixed(0)).join(', ')}; by the regression ` +
        `${clear.map(({ lost }) => lost.toFixed(0)).join(', ')}; said ${rows
          .slice(0, 3)
          .map(({ condition, lostConversions, verdict }) => `${condition} ${lostConversions} ${verdict}`)
          .join(', ')}; its own row ${ownRowOf(matched, first)})`,
    );
}

async function tallyTest(world: World, isMismatched: boolean, ask: Ask, tally: Tally): Promise<void> {
  const { conditions } = await ask({ conditions: [{ what: 'variable', name: 'custom_var_3' }] });
  const [row] = conditions;
  tally.push(isMismatched ? ['mismatchesFound', row?.verdict === 'no fair comparison'] : ['winners', row?.verdict !== 'within noise']);
}

/** Asks of the worlds; `heard` gets what went wrong after each. */
async function tallyWorlds(
  product: string,
  { worlds, seed: from, sessions }: typeof DEFAULTS,
  heard: (misses: readonly string[]) => void = () => undefined,
): Promise<Tally> {
  const tally: Tally = [];
  const misses: string[] = [];
  await withEmulator(product, async ({ environment }) => {
    for (let seed = from * 1_000; seed < from * 1_000 + worlds; seed += 1) {
      const isMismatched = seed % 4 === 3;
      const world = worldOf(seed, sessions, troublesOf(seeded(seed + 90_001), seed % 3), {
        shareOfB: isMismatched ? 0.54 : 0.5,
        effect: 0,
      });
      await withProduct(world, product, environment, async (ask) => {
        tallyWorld(world, (await ask({ limit: 50 })).conditions, tally, misses);
        await tallyTest(world, isMismatched, ask, tally);
      });
      heard(misses.splice(0));
    }
  });
  return tally;
}

/** Figures of a tally as those of the gate; of few worlds a bound holds only about, so that it is said beside. */
const rowsOf = (tally: Tally): GateRow[] =>
  Object.entries<Share>(SHARES).flatMap(([key, [what, bound, better = 'higher']]) => {
    const counted = tally.filter(([about]) => about === key);
    if (counted.length === 0) return [];
    const aim = bound === undefined ? '' : ` (aim ${bound} of 200 worlds)`;
    const value = (100 * counted.filter(([, isSo]) => isSo).length) / counted.length;
    return [{ what: `impact: ${what}${aim}`, value, unit: '%', better }];
  });

/** The rows of the gate, of so many worlds. */
export async function impactRows(product: string, worlds: number): Promise<GateRow[]> {
  return rowsOf(await tallyWorlds(product, { ...DEFAULTS, worlds }));
}

/**
 * Generated sites with hidden intent and natural confounding, written as downloaded files and asked about through the built product:
 * `--worlds 200 --seed 1 --sessions 20000`. Every fourth world's test has a mismatched split.
 */
export async function benchImpact(product: string, args: readonly string[]): Promise<void> {
  const of = (name: keyof typeof DEFAULTS) => numberAfter(args, `--${name}`, DEFAULTS[name]);
  const options = { worlds: of('worlds'), seed: of('seed'), sessions: of('sessions') };
  const tally = await tallyWorlds(product, options, (misses) => void process.stdout.write(misses.map((miss) => `${miss}\n`).join('')));
  process.stdout.write(tableOf(compare(rowsOf(tally), {})));
}

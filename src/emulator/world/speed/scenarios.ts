import { app, content, shop } from '../../credentials.ts';

/** Kind of a page, which decides how heavy and how fast it is. */
export type PageKind = 'home' | 'category' | 'product' | 'cart' | 'payment' | 'search' | 'article' | 'section' | 'help';

/** A page and what is done on it, in order; the last action checks the content. */
function page(kind: PageKind, path: string, name: string, description: string, actions: readonly string[]) {
  return { name, description, kind, path, actions };
}

const home = page('home', '/', 'Home', 'Opens the home page and accepts the cookies', [
  'Open the home page',
  'Click on "Accept all"',
  'Check that "New arrivals" is present',
]);
const homeAgain = page('home', '/?visit=2', 'Home, second visit', 'Opens the home page again with a filled cache', [
  'Open the home page',
  'Check that "Recently viewed" is present',
]);
const category = page('category', '/c/rain-jackets?sort=popular', 'Category', 'Opens the list of rain jackets', [
  'Click on "Rain jackets"',
  'Wait for the list of products',
  'Check that "Filter" is present',
]);
const search = page('search', '/search?q=backpack', 'Search results', 'Looks for a backpack', [
  'Type "backpack" into the search bar',
  'Click on "Search"',
  'Check that "results for" is present',
]);
const product = page('product', '/p/fjord-rain-jacket-40817', 'Product', 'Opens the first product of the list', [
  'Click on the first product',
  'Choose size "M"',
  'Check that "Add to cart" is present',
]);
const cart = page('cart', '/cart', 'Cart', 'Adds the product and opens the cart', [
  'Click on "Add to cart"',
  'Click on "Go to cart"',
  'Check that "Subtotal" is present',
]);
const payment = page('payment', '/checkout/payment', 'Payment', 'Fills the address and opens the payment page; nothing is bought', [
  'Fill the form "Address"',
  'Click on "Continue to payment"',
  'Check that "Pay now" is present',
]);
const magazineHome = page('section', '/', 'Home', 'Opens the front page and accepts the cookies', [
  'Open the front page',
  'Click on "Accept all"',
  'Check that "Most read" is present',
]);
const section = page('section', '/outdoors/', 'Section', 'Opens the section "Outdoors"', [
  'Click on "Outdoors"',
  'Check that "More from Outdoors" is present',
]);
const article = page('article', '/outdoors/seven-days-along-the-coast', 'Article', 'Opens the first article', [
  'Click on the first headline',
  'Scroll to the end',
  'Check that "Read next" is present',
]);
const nextArticle = page('article', '/outdoors/how-to-pack-light', 'Next article', 'Follows the link to the next article', [
  'Click on "Read next"',
  'Check that "Read next" is present',
]);
const help = page('help', '/help/', 'Help home', 'Opens the help centre as the app shows it', [
  'Open the help centre',
  'Check that "Frequent questions" is present',
]);
const helpReturns = page('help', '/help/returns', 'Help article', 'Opens the article about returns', [
  'Click on "Returns"',
  'Check that "30 days" is present',
]);

type PageStep = ReturnType<typeof page>;
type ScenarioRow = readonly [id: number, name: string, project: typeof shop, device: 'desktop' | 'mobile', pages: readonly PageStep[]];
const rows: readonly ScenarioRow[] = [
  [4101, 'Checkout – desktop', shop, 'desktop', [home, category, product, cart, payment]],
  [4102, 'Checkout – mobile', shop, 'mobile', [home, category, product, cart, payment]],
  [4103, 'Product page – mobile', shop, 'mobile', [category, product]],
  [4104, 'Home – desktop', shop, 'desktop', [home, homeAgain]],
  [4105, 'Search – mobile', shop, 'mobile', [home, search, product]],
  [4106, 'Search – desktop', shop, 'desktop', [home, search, product, cart]],
  [4301, 'Article – mobile', content, 'mobile', [magazineHome, article, nextArticle]],
  [4302, 'Home – desktop', content, 'desktop', [magazineHome, section]],
  [4201, 'Help centre (web view)', app, 'mobile', [help, helpReturns]],
];

/** One page of a scenario and what is done on it; `index` is its place within the scenario, from 0. */
export type Step = ReturnType<typeof stepsOf>[number];

function stepsOf(scenarioId: number, pages: readonly PageStep[]) {
  return pages.map((each, index) => ({ ...each, index, id: scenarioId * 10 + index + 1 }));
}

/** All scenarios of all projects, steps and identifiers included; the same for every seed. */
const scenarios = rows.map(([id, name, project, device, pages], index) => ({
  /** Place in the list of all scenarios; identifiers of runs are built on it. */
  index,
  id,
  name,
  device,
  projectId: project.id,
  /** Key of the site in the tables of hosts. */
  site: project.kind,
  /** The record of the console that schedules it; the interface cannot list it. */
  monitoringId: 300 + index * 7,
  steps: stepsOf(id, pages),
}));

/** A synthetic visit that is repeated every hour. */
export type Scenario = (typeof scenarios)[number];

/** Places in the list of scenarios that identifiers of runs leave to those that are always there. */
export const CLONES_FROM = 16;

/** A copy of one of these scenarios with its own ids and name, for accounts with many; `nth` counts the copies from 0. */
export function cloneScenario(known: readonly Scenario[], nth: number, suffix: string): Scenario {
  const like = known[nth % known.length];
  if (!like) throw new RangeError('There is no scenario to copy.');
  const id = 500_000 + nth;
  return {
    ...like,
    index: like.index + CLONES_FROM * (1 + Math.floor(nth / known.length)),
    id,
    monitoringId: 50_000 + nth,
    name: `${like.name} ${suffix}`,
    steps: stepsOf(id, like.steps),
  };
}

/** Scenarios of one project, in the order of their ids. */
export function scenariosOf(projectId: number): readonly Scenario[] {
  return scenarios.filter((scenario) => scenario.projectId === projectId);
}

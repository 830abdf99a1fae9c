import { app, content, shop } from '../../credentials.ts';

/** What a page is, which decides how heavy and how fast it is. */
export type PageKind = 'home' | 'category' | 'product' | 'cart' | 'payment' | 'search' | 'article' | 'section' | 'help';

/** One page of a scenario and what is done on it. */
export interface Step {
  readonly id: number;
  /** Place within the scenario, from 0. */
  readonly index: number;
  readonly name: string;
  readonly description: string;
  readonly kind: PageKind;
  /** Path of the page below the first party's origin. */
  readonly path: string;
  /** In order; the last one checks the content. */
  readonly actions: readonly string[];
}

/** A synthetic visit that is repeated every hour. */
export interface Scenario {
  /** Place in the list of all scenarios; identifiers of runs are built on it. */
  readonly index: number;
  readonly id: number;
  readonly projectId: number;
  /** The record of the console that schedules it; the interface cannot list it. */
  readonly monitoringId: number;
  readonly name: string;
  readonly device: 'desktop' | 'mobile';
  /** Key of the site in the tables of hosts. */
  readonly site: 'shop' | 'content' | 'app';
  readonly steps: readonly Step[];
}

interface Page {
  readonly name: string;
  readonly description: string;
  readonly kind: PageKind;
  readonly path: string;
  readonly actions: readonly string[];
}

const home: Page = {
  name: 'Home',
  description: 'Opens the home page and accepts the cookies',
  kind: 'home',
  path: '/',
  actions: ['Open the home page', 'Click on "Accept all"', 'Check that "New arrivals" is present'],
};
const homeAgain: Page = {
  ...home,
  name: 'Home, second visit',
  description: 'Opens the home page again with a filled cache',
  path: '/?visit=2',
  actions: ['Open the home page', 'Check that "Recently viewed" is present'],
};
const category: Page = {
  name: 'Category',
  description: 'Opens the list of rain jackets',
  kind: 'category',
  path: '/c/rain-jackets?sort=popular',
  actions: ['Click on "Rain jackets"', 'Wait for the list of products', 'Check that "Filter" is present'],
};
const search: Page = {
  name: 'Search results',
  description: 'Looks for a backpack',
  kind: 'search',
  path: '/search?q=backpack',
  actions: ['Type "backpack" into the search bar', 'Click on "Search"', 'Check that "results for" is present'],
};
const product: Page = {
  name: 'Product',
  description: 'Opens the first product of the list',
  kind: 'product',
  path: '/p/fjord-rain-jacket-40817',
  actions: ['Click on the first product', 'Choose size "M"', 'Check that "Add to cart" is present'],
};
const cart: Page = {
  name: 'Cart',
  description: 'Adds the product and opens the cart',
  kind: 'cart',
  path: '/cart',
  actions: ['Click on "Add to cart"', 'Click on "Go to cart"', 'Check that "Subtotal" is present'],
};
const payment: Page = {
  name: 'Payment',
  description: 'Fills the address and opens the payment page; nothing is bought',
  kind: 'payment',
  path: '/checkout/payment',
  actions: ['Fill the form "Address"', 'Click on "Continue to payment"', 'Check that "Pay now" is present'],
};
const magazineHome: Page = {
  name: 'Home',
  description: 'Opens the front page and accepts the cookies',
  kind: 'section',
  path: '/',
  actions: ['Open the front page', 'Click on "Accept all"', 'Check that "Most read" is present'],
};
const section: Page = {
  name: 'Section',
  description: 'Opens the section "Outdoors"',
  kind: 'section',
  path: '/outdoors/',
  actions: ['Click on "Outdoors"', 'Check that "More from Outdoors" is present'],
};
const article: Page = {
  name: 'Article',
  description: 'Opens the first article',
  kind: 'article',
  path: '/outdoors/seven-days-along-the-coast',
  actions: ['Click on the first headline', 'Scroll to the end', 'Check that "Read next" is present'],
};
const nextArticle: Page = {
  ...article,
  name: 'Next article',
  description: 'Follows the link to the next article',
  path: '/outdoors/how-to-pack-light',
  actions: ['Click on "Read next"', 'Check that "Read next" is present'],
};
const help: Page = {
  name: 'Help home',
  description: 'Opens the help centre as the app shows it',
  kind: 'help',
  path: '/help/',
  actions: ['Open the help centre', 'Check that "Frequent questions" is present'],
};
const helpReturns: Page = {
  ...help,
  name: 'Help article',
  description: 'Opens the article about returns',
  path: '/help/returns',
  actions: ['Click on "Returns"', 'Check that "30 days" is present'],
};

type Row = readonly [id: number, name: string, project: typeof shop, device: Scenario['device'], pages: readonly Page[]];
const rows: readonly Row[] = [
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

function stepsOf(scenarioId: number, pages: readonly Page[]): Step[] {
  return pages.map((page, index) => ({ ...page, index, id: scenarioId * 10 + index + 1 }));
}

/** All scenarios of all projects, steps and identifiers included; the same for every seed. */
export const scenarios: readonly Scenario[] = rows.map(([id, name, project, device, pages], index) => ({
  index,
  id,
  name,
  device,
  projectId: project.id,
  site: project.kind,
  monitoringId: 300 + index * 7,
  steps: stepsOf(id, pages),
}));

/** Scenarios of one project, in the order of their ids. */
export function scenariosOf(projectId: number): readonly Scenario[] {
  return scenarios.filter((scenario) => scenario.projectId === projectId);
}

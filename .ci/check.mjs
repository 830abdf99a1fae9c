// npm test: everything that is checked, and a count of the tests. With --change (npm run check): what a change needs while it is made.
// With --full (npm run full): the samples of the tests in their full size.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { changedFiles, changedTests } from './changed-tests.mjs';
import { leftToTheNight, wrongSkips } from './skipped-tests.mjs';

const RESULTS = 'node_modules/.cache/vitest-results.json';
const binary = (name) => `node_modules/.bin/${name}${process.platform === 'win32' ? '.cmd' : ''}`;

/** Static checks; each is a process of its own. */
const checks = [
  ['types', binary('tsc'), '-p', '.'],
  ['types of the view', binary('tsc'), '-b', 'src/views/app', 'test/views/host'],
  ['lint', binary('oxlint'), '--type-aware', '--deny-warnings', '.'],
  ['format', binary('biome'), 'ci', '--colors=off', '.'],
  ['unused code', binary('knip')],
  ['generated files', process.execPath, '.ci/run-script.mjs', 'src/generate.ts', '--check'],
  ['bundle manifest', binary('mcpb'), 'validate', 'manifest.json'],
  ['package', binary('publint'), '--strict'],
];

/** No colours where nobody sees them: a log would hold more codes than words. */
const environment = () => (process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' });

/** A log with longer lines is not read: whatever prints one is to be found. */
const MAX_LINE_CHARS = 10_000;

/** No check takes longer, unless it hangs: vitest itself cannot end a test that never gives up its thread. The full samples take most. */
const LONGEST_MS = (process.argv.includes('--full') ? 90 : 40) * 60_000;

/** Test files of which nothing was reported; the first of them are what a run that hangs is stuck in. */
function unreported(output) {
  return readdirSync('test', { recursive: true }).filter(
    (path) => path.endsWith('.test.ts') && !output.includes(path.replaceAll('\\', '/')),
  );
}

/** Runs a check; what it prints is shown at once where `watched`, else only when it fails. */
function run([label, command, ...args], watched = false) {
  const started = Date.now();
  const stdio = watched && process.stdout.isTTY ? 'inherit' : ['ignore', 'pipe', 'pipe'];
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio, env: environment(), shell: process.platform === 'win32' });
    let output = '';
    const limit = setTimeout(() => {
      console.log(`${label}: ended after ${LONGEST_MS / 60_000} minutes`);
      if (watched) console.log(`No word of:\n${unreported(output).join('\n')}`);
      child.kill('SIGKILL');
    }, LONGEST_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        if (watched) process.stdout.write(chunk);
      });
    }
    child.on('close', (code) => {
      clearTimeout(limit);
      const tooLong = output.split('\n').find((line) => line.length > MAX_LINE_CHARS);
      const passed = code === 0 && tooLong === undefined;
      if (tooLong !== undefined) console.log(`A line of ${tooLong.length} characters was printed; it begins: ${tooLong.slice(0, 120)}`);
      console.log(`${passed ? '✓' : '✗'} ${label} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
      if (code !== 0 && output && !watched) console.log(output);
      resolve(passed);
    });
  });
}

async function runTwoAtOnce(queue) {
  const outcomes = [];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) outcomes.push(await run(next));
  };
  await Promise.all([worker(), worker()]);
  return outcomes.every(Boolean);
}

/** Runs the tests of these projects of test/vitest.config.ts. */
function runTests(projects, label) {
  const chosen = projects.flatMap((project) => ['--project', project]);
  // A line for each file, but for a person who watches a dot for each test.
  const reporters = [`--reporter=${process.stdout.isTTY ? 'dot' : 'default'}`, '--reporter=json', `--outputFile.json=${RESULTS}`];
  const filters = projects.includes('full') ? [] : ['--tags-filter=!nightly'];
  return run([label, binary('vitest'), 'run', '--config', 'test/vitest.config.ts', ...chosen, ...filters, ...reporters], true);
}

/** Everything. The static checks run beside the tests, which leave the processor idle where they wait for deadlines and processes. */
async function checkAll() {
  const isJudged = process.env.CI === 'true';
  // What needs the engines that .ci/run installs runs there.
  const tests = runTests(['product', 'unit', ...(isJudged ? ['long'] : [])], 'tests');
  const [sound, green] = await Promise.all([runTwoAtOnce([...checks]), tests]);
  const results = JSON.parse(readFileSync(RESULTS, 'utf8'));
  const left = leftToTheNight(results);
  const skipped = results.numPendingTests - left;
  console.log(`${results.numPassedTests} passed, ${results.numFailedTests} failed, ${skipped} skipped; ${left} more run in npm run full`);
  // On the machine of a developer a missing tool may skip tests; where the whole is judged nothing is left out in silence.
  const skips = wrongSkips(results);
  for (const skip of skips) console.log(`${isJudged ? '✗' : '–'} ${skip}`);
  return sound && green && (!isJudged || skips.length === 0);
}

/**
 * What a change needs while it is made: types, lint and format, the unit tests that it can affect, and the others that mirror the changed
 * folders.
 */
async function checkChange() {
  const changed = changedFiles();
  process.env.CHANGED_FILES = changed.join(',');
  process.env.PRODUCT_TESTS = changedTests(changed).join(',');
  const isStatic = ([label]) => ['types', 'lint', 'format'].includes(label);
  const [sound, green] = await Promise.all([
    runTwoAtOnce(checks.filter(isStatic)),
    runTests(['unit', ...(process.env.PRODUCT_TESTS === '' ? [] : ['product', 'long'])], 'tests of the change'),
  ]);
  return sound && green;
}

/** What is asked for; each answers whether all of it passed. */
function runChecks() {
  if (process.argv.includes('--change')) return checkChange();
  return process.argv.includes('--full') ? runTests(['full'], 'full samples') : checkAll();
}

const passed = await runChecks();
process.exit(passed ? 0 : 1);

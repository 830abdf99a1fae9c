// Prints what CHANGELOG.md says of a version: node .ci/release-notes.mjs v1.2.3. Fails where the tag, package.json and CHANGELOG.md
// disagree.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The text below the heading of a version, up to the next one; throws where there is none or the tag is another version. */
export function releaseNotes(tag, version, changelog) {
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json says ${version}.`);
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`${version} `) || text.startsWith(`${version}\n`));
  if (!section) throw new Error(`CHANGELOG.md has no section "## ${version}".`);
  return section.slice(section.indexOf('\n')).trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (path) => readFileSync(path, 'utf8');
  try {
    process.stdout.write(`${releaseNotes(process.argv[2], JSON.parse(read('package.json')).version, read('CHANGELOG.md'))}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

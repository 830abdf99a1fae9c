import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

const LICENCE = /^(licen[cs]e|copying|notice)/i;

/** Folder of the package that a file belongs to; undefined for files of the project. */
function packageFolderOf(path) {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return folder;
}

/** Packages of which something is bundled, by name and version, with the text of their licences. */
export function bundledPackages(metafiles) {
  // An input of which no byte remains is in no bundle.
  const used = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
  const folders = [...new Set(used.map(packageFolderOf).filter((folder) => folder !== undefined && existsSync(`${folder}/package.json`)))];
  const packages = folders.map((folder) => {
    const { name, version, license, repository } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    const texts = readdirSync(folder, { withFileTypes: true })
      .filter((file) => file.isFile() && LICENCE.test(file.name))
      .map((file) => readFileSync(`${folder}/${file.name}`, 'utf8').trim());
    return { name, version, license: license ?? 'NOASSERTION', source: repository?.url ?? repository, text: texts.join('\n\n') };
  });
  return packages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A list of what is bundled, as SPDX 2.3. */
function spdxOf(packages) {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const idOf = (each) => `SPDXRef-${each.name.replace(/[^\w.-]+/g, '-')}-${each.version}`;
  const entry = (each) => ({
    SPDXID: idOf(each),
    name: each.name,
    versionInfo: each.version,
    downloadLocation: 'NOASSERTION',
    licenseDeclared: each.license,
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`,
      },
    ],
  });
  const product = { name, version, license: 'MIT' };
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${name}@${version}`,
    documentNamespace: `https://spdx.org/spdxdocs/${name}-${version}`,
    creationInfo: { created: '1970-01-01T00:00:00Z', creators: ['Tool: web-analytics-mcp-build'] },
    documentDescribes: [idOf(product)],
    packages: [product, ...packages].map(entry),
    relationships: packages.map((each) => ({ spdxElementId: idOf(product), relationshipType: 'CONTAINS', relatedSpdxElement: idOf(each) })),
  };
}

/** Writes `licenses.txt`, which the licences of bundled code ask for, and `sbom.spdx.json`. */
export async function writeNotices(folder, metafiles) {
  const packages = bundledPackages(metafiles);
  const words = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text || 'The package holds no text of its licence.'}`,
  );
  await writeFile(
    `${folder}/licenses.txt`,
    `Packages of which this product holds code, and their licences.\n\n${words.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
  );
  await writeFile(`${folder}/sbom.spdx.json`, `${JSON.stringify(spdxOf(packages), null, 1)}\n`);
}

import { markdownTable } from '../../src/lib/text-table.ts';
import { type Findings, failures, notScored, type Revision, required } from './suite.ts';

/** What a run of the suite found in one revision, against the product and against the fixtures. */
export interface RevisionFindings {
  readonly revision: Revision;
  /** Scenarios that the unmodified product has to pass. */
  readonly generic: readonly string[];
  readonly product: Findings;
  readonly fixtures: Findings;
}

/** Why a scenario that is not required does not apply, by the beginning of its name. */
const NOT_APPLICABLE: readonly (readonly [string, string])[] = [
  ['tasks-', 'the tasks extension is not offered: the SDK has no runtime for it yet'],
  ['server-sse-polling', 'streams are not resumed: an answer is asked for again by its handle'],
  ['http-custom-header-server-validation', 'no tool asks hosts to copy arguments into headers'],
];

/**
 * Why the product itself does not offer what a scenario asks for, by a part of its name; the others call names that only the fixtures have.
 */
const NOT_OFFERED: readonly (readonly [string, string])[] = [
  ['logging', 'the product logs to stderr: logging is deprecated in the protocol'],
  ['sampling', 'the product never asks for sampling: it is deprecated in the protocol'],
  ['list-roots', 'the product never asks for roots: they are deprecated in the protocol'],
];

const HEADER = ['Scenario', 'The product as it is', 'With fixtures', 'Remark'];

function verdict(findings: Findings, name: string): string {
  return failures(findings, [name]).length === 0 ? 'passes' : 'fails';
}

function row({ generic, product, fixtures }: RevisionFindings, name: string, reason: string): string[] {
  const reasonNot = NOT_APPLICABLE.find(([beginning]) => name.startsWith(beginning))?.[1];
  if (reasonNot !== undefined) return [`\`${name}\``, 'not applicable', 'not applicable', `${reason}; ${reasonNot}`];
  const own = generic.includes(name) ? verdict(product, name) : 'not applicable';
  const notOffered = NOT_OFFERED.find(([part]) => name.includes(part))?.[1] ?? 'calls names that only the fixtures have';
  const why = generic.includes(name) ? '' : notOffered;
  return [`\`${name}\``, own, verdict(fixtures, name), [reason, why].filter((each) => each !== '').join('; ')];
}

function section(findings: RevisionFindings): string {
  const { revision } = findings;
  const needed = required(revision);
  const others = notScored(revision);
  const rows = [
    ...needed.map((name) => row(findings, name, 'required')),
    ...others.map(({ scenario, reason }) => row(findings, scenario, `not scored (${reason})`)),
  ];
  const passed = needed.filter((name) => verdict(findings.fixtures, name) === 'passes').length;
  const own = findings.generic.filter((name) => verdict(findings.product, name) === 'passes').length;
  return `## ${revision}

${passed} of ${needed.length} required scenarios pass with fixtures; \
${own} of ${findings.generic.length} that need none pass against the product as it is.

${markdownTable(HEADER, rows)}`;
}

/** The page of the documents that lists every scenario of servers. */
export function conformancePage(all: readonly RevisionFindings[]): string {
  return `# Conformance

The suite of the protocol ([@modelcontextprotocol/conformance](https://www.npmjs.com/package/@modelcontextprotocol/conformance)) \
runs in the tests, against the product as it is and against fixtures: tools, resources and prompts with the names that the suite calls, \
on a server that is served by the product's HTTP side. \`test/conformance\` writes this page (\`-u\`) \
and fails where it is not what the suite finds.

${all.map(section).join('\n\n')}

[Documents](../README.md)
`;
}

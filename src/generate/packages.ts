import about from '../../package.json' with { type: 'json' };
import { toolsets } from '../../tools/index.ts';
import { title } from '../commands/about.ts';
import { shownHints } from '../lib/hint.ts';
import { prompts } from '../prompts/index.ts';
import type { Setting } from '../settings/setting.ts';
import { settingDeclarations } from '../settings/settings.ts';

const settings = Object.values<Setting>(settingDeclarations);
/** The settings that a form of a host asks for. */
const asked = settings.filter(({ form }) => form !== undefined);
const REPOSITORY = about.repository.url.replace(/^git\+|\.git$/g, '');
const PAGES = `${REPOSITORY}/blob/main`;

/** `time_zone` for `WEB_ANALYTICS_TIME_ZONE`: how a bundle's form calls a setting. */
function fieldName({ variable }: Setting): string {
  return variable.replace('WEB_ANALYTICS_', '').toLowerCase();
}

/** The form of a bundle or plugin, and the variables that it fills. */
function formOf(fields: readonly Setting[]) {
  const form = fields.map((setting) => {
    const { form: type, title: label, words: description, secret: sensitive, default: text } = setting;
    return [
      fieldName(setting),
      { type, title: label, description, required: false, sensitive, default: type === 'boolean' ? text === 'true' : text },
    ];
  });
  const env = fields.map((setting) => [setting.variable, `\${user_config.${fieldName(setting)}}`]);
  return { form: Object.fromEntries(form), env: Object.fromEntries(env) };
}

/** Manifest of the bundles for Claude Desktop (MCPB). */
export function bundleManifest(): object {
  const { form, env } = formOf(asked);
  return {
    manifest_version: '0.3',
    name: about.name,
    display_name: title,
    version: about.version,
    description: about.description,
    long_description:
      'Ask about metrics in plain words, find out why a page became slow, set up exports and query them with SQL. Needs an API ' +
      'credential of your platform; without one, switch on Demo in its settings, for an emulated platform.',
    author: { name: about.author },
    repository: { type: 'git', url: REPOSITORY },
    homepage: about.homepage,
    documentation: `${PAGES}/docs/README.md`,
    support: about.bugs.url,
    icon: 'assets/icon.png',
    license: about.license,
    keywords: about.keywords,
    privacy_policies: [`${PAGES}/docs/privacy.md`],
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/dist/main.js'],
        env,
      },
    },
    tools: toolsets.flatMap(({ tools }) => tools.map((tool) => ({ name: tool.name, description: shownHints(tool.description) }))),
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: about.engines.node } },
    user_config: form,
  };
}

function registryVariable({ variable: name, words: description, form, secret: isSecret, default: fallback }: Setting): object {
  return {
    name,
    description,
    isRequired: false,
    isSecret,
    ...(form === 'number' || form === 'boolean' ? { format: form } : {}),
    default: fallback,
  };
}

/** Entry of the MCP registry; a release adds the bundles, whose digests are known only then. */
export function registryEntry(): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: about.mcpName,
    title,
    description: about.description,
    version: about.version,
    websiteUrl: about.homepage,
    repository: { url: REPOSITORY, source: 'github' },
    icons: [{ src: `${REPOSITORY}/raw/main/assets/icon.png`, mimeType: 'image/png', sizes: ['512x512'] }],
    packages: [
      {
        registryType: 'npm',
        identifier: about.name,
        version: about.version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: asked.map(registryVariable),
      },
    ],
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{host}/mcp',
        variables: { host: { description: 'Name of the machine where your team serves web-analytics-mcp', isRequired: true } },
        headers: [
          {
            name: 'Authorization',
            description: 'A static token of that server as "Bearer …"; not needed where it has an authorization server',
            isRequired: false,
            isSecret: true,
          },
        ],
      },
    ],
  };
}

/** The settings that hosts ask for as they install: the demo, or a credential. */
const { demo, authUrl, clientId, clientSecret, timeZone } = settingDeclarations;
const essential: readonly Setting[] = [demo, authUrl, clientId, clientSecret, timeZone];

/** How a host starts the published package. */
const published = { command: 'npx', args: ['-y', about.name] };

/** Extension of Gemini CLI. */
export function geminiExtension(): object {
  return {
    name: about.name,
    version: about.version,
    description: about.description,
    mcpServers: { 'web-analytics': published },
    settings: essential.map(({ title: name, words, default: fallback, variable: envVar, secret: sensitive }) => ({
      name,
      description: fallback === undefined ? words : `${words} (default ${fallback})`,
      envVar,
      sensitive,
    })),
  };
}

/** Plugin of Claude Code. */
export function claudePlugin(): object {
  const { form, env } = formOf(essential);
  return {
    name: about.name,
    version: about.version,
    description: about.description,
    author: { name: about.author },
    homepage: about.homepage,
    repository: REPOSITORY,
    license: about.license,
    keywords: about.keywords,
    skills: './.claude-plugin/skills/',
    userConfig: form,
    mcpServers: { 'web-analytics': { ...published, env } },
  };
}

/** The marketplace file for `/plugin marketplace add`: this repository holds the one plugin. */
export function claudeMarketplace(): object {
  return {
    name: about.name,
    owner: { name: about.author },
    plugins: [{ name: about.name, source: './', description: about.description, version: about.version }],
  };
}

/** Names of the skills, and the prompts that they are made from. */
const skillPrompts = {
  'weekly-report': 'weekly_kpi_report',
  'release-review': 'review_release',
  'export-set-up': 'set_up_export',
} as const;

/** Skills of the plugin by path. */
export function claudeSkills(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(skillPrompts).map(([skill, name]) => {
      const prompt = prompts.find((each) => each.name === name);
      if (!prompt) throw new Error(`there is no prompt ${name}`);
      const given = Object.fromEntries(
        Object.entries(prompt.arguments).flatMap(([argument, { required }]) => (required ? [[argument, `<${argument}>`]] : [])),
      );
      const chosen = Object.entries(prompt.arguments).map(([argument, { description }]) => `- ${argument}: ${description}`);
      const text = `---
name: ${skill}
description: ${JSON.stringify(prompt.description)}
---

# ${prompt.title}

Use the tools of the MCP server \`web-analytics\`. Take from the request, and put into the calls below:

${chosen.join('\n')}

${prompt.text(given)}
`;
      return [`.claude-plugin/skills/${skill}/SKILL.md`, text];
    }),
  );
}

/** Configuration that most hosts read (`.mcp.json`, `.cursor/mcp.json`, `claude_desktop_config.json`), on the emulated platform. */
export function hostConfiguration(): object {
  return { mcpServers: { 'web-analytics': { ...published, args: [...published.args, '--demo'] } } };
}

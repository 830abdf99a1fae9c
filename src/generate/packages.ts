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

function formDefault({ form, default: text = '' }: Setting): string | number | boolean {
  if (form === 'boolean') return text === 'true';
  return form === 'number' ? Number(text) : text;
}

/** `time_zone` for `WEB_ANALYTICS_TIME_ZONE`: how a bundle's form calls a setting. */
function fieldName({ variable }: Setting): string {
  return variable.replace('WEB_ANALYTICS_', '').toLowerCase();
}

const isSecret = ({ variable, secret }: Setting) => secret === true && /_SECRET$|_KEY$|_TOKEN$/.test(variable);

/** Manifest of the bundles for Claude Desktop (MCPB). */
export function bundleManifest(): object {
  const userConfig = asked.map((setting) => [
    fieldName(setting),
    {
      type: setting.form,
      title: setting.title,
      description: setting.words,
      required: false,
      ...(setting.secret && { sensitive: true }),
      ...(setting.default !== undefined && { default: formDefault(setting) }),
    },
  ]);
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
        env: Object.fromEntries(asked.map((setting) => [setting.variable, `\${user_config.${fieldName(setting)}}`])),
      },
    },
    tools: toolsets.flatMap(({ tools }) => tools.map((tool) => ({ name: tool.name, description: shownHints(tool.description) }))),
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: about.engines.node } },
    user_config: Object.fromEntries(userConfig),
  };
}

function registryVariable(setting: Setting): object {
  const { variable, words, form, default: fallback } = setting;
  return {
    name: variable,
    description: words,
    isRequired: false,
    ...(isSecret(setting) && { isSecret: true }),
    ...(form === 'number' || form === 'boolean' ? { format: form } : {}),
    ...(fallback !== undefined && { default: fallback }),
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

/** How a host starts the published package. */
const published = { command: 'npx', args: ['-y', about.name] };

/** Extension of Gemini CLI. */
export function geminiExtension(): object {
  const wanted = new Set(['WEB_ANALYTICS_AUTH_URL', 'WEB_ANALYTICS_CLIENT_ID', 'WEB_ANALYTICS_CLIENT_SECRET', 'WEB_ANALYTICS_TIME_ZONE']);
  return {
    name: about.name,
    version: about.version,
    description: about.description,
    mcpServers: { 'web-analytics': published },
    settings: asked
      .filter(({ variable }) => wanted.has(variable))
      .map((setting) => ({
        name: setting.title,
        description: setting.words,
        envVar: setting.variable,
        ...(setting.secret && { sensitive: true }),
      })),
  };
}

/** Plugin of Claude Code; the server takes its settings from the environment. */
export function claudePlugin(): object {
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
    mcpServers: { 'web-analytics': published },
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

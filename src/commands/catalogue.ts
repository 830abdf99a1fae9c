import { toolsetLoaders } from '../../tools/loaders.ts';
import { shownHints } from '../lib/hint.ts';
import { mapTexts } from '../lib/map-texts.ts';
import { suggestion } from '../lib/nearest.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { type AnyTool, changesSomething, type ListedTool, type Offer } from '../tooling/tool.ts';

/** JSON of all tools as listed; put in by the build, because making all JSON schemas costs more than the rest of a start. */
declare const LISTED_TOOLS: string | undefined;

async function computeListed(): Promise<readonly ListedTool[]> {
  const [{ listTools }, { toolsets }] = await Promise.all([import('../tooling/schema.ts'), import('../../tools/index.ts')]);
  return listTools(toolsets);
}

let computed: Promise<readonly ListedTool[]> | undefined;

/** All tools as listed; computed, once in a process, where nothing was built. */
export async function listedTools(): Promise<readonly ListedTool[]> {
  if (typeof LISTED_TOOLS !== 'undefined') return JSON.parse(LISTED_TOOLS) as readonly ListedTool[];
  computed ??= computeListed();
  return computed;
}

// Kept, because even an import of what is loaded takes a while.
const byName = new Map<string, AnyTool>();
let toolsetOf: ReadonlyMap<string, string> | undefined;

/** The tool behind a listed name; loaded, with the others of its toolset, with the first call of one of them. */
export async function loadTool(name: string): Promise<AnyTool> {
  if (!byName.has(name)) {
    toolsetOf ??= new Map((await listedTools()).map((tool) => [tool.name, tool.toolset]));
    const toolset = await toolsetLoaders[toolsetOf.get(name) ?? '']?.();
    for (const tool of toolset?.default.tools ?? []) byName.set(tool.name, tool);
  }
  const tool = byName.get(name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** The preset for hosts that pay for each tool: those that answer most questions. */
export const coreTools: ReadonlySet<string> = new Set([
  'authenticate',
  'list_scenarios',
  'find_objects',
  'find_changes',
  'query_metrics',
  'compare_metrics',
  'analyze_scenario',
  'analyze_har',
  'plan_export',
  'apply_export_plan',
  'download_export_run',
  'query_export',
  'analyze_funnel',
  'measure_impact',
]);
const CORE = 'core';

/** The tools that the settings leave on, in their order; descriptions do not mention the others. Refuses an unknown toolset by name. */
export function enabledTools(all: readonly ListedTool[], { toolsets: chosen, readOnly }: Pick<Settings, 'toolsets' | 'readOnly'>): Offer {
  const names = [...new Set(all.map(({ toolset }) => toolset))];
  const wanted = chosen === undefined || chosen.includes('all') ? names : chosen;
  const unknown = wanted.filter((name) => !names.includes(name) && name !== CORE);
  if (unknown.length > 0) {
    const known = ['all', CORE, ...names];
    const words = unknown.map((name) => `no toolset "${name}"; ${suggestion(name, known)}`);
    throw new SettingsError(`--toolsets (WEB_ANALYTICS_TOOLSETS): ${words.join(' ')}`);
  }
  const isWanted = ({ name, toolset }: ListedTool) => wanted.includes(toolset) || (wanted.includes(CORE) && coreTools.has(name));
  const isOn = (tool: ListedTool) => isWanted(tool) && !(readOnly && changesSomething(tool));
  const absent = new Set(all.filter((tool) => !isOn(tool)).map(({ name }) => name));
  // Only texts change.
  const shown = (tool: ListedTool) => mapTexts(tool, (text) => shownHints(text, absent)) as ListedTool;
  return { tools: all.filter(isOn).map(shown), absent };
}

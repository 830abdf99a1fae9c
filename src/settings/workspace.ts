import { count, type Setting, words } from './setting.ts';

/** Where downloaded exports lie, and how much room they may take. */
export const workspaceSettings = {
  dataDir: {
    variable: 'WEB_ANALYTICS_DATA_DIR',
    title: 'Data directory',
    words: 'Directory of downloaded exports; the demo uses a temporary one',
    schema: words,
    otherwise: "the user's data directory",
    form: 'directory',
  },
  dataQuotaMb: {
    variable: 'WEB_ANALYTICS_DATA_QUOTA_MB',
    title: 'Data quota',
    words: 'Room that downloaded exports of one caller may take, in MB',
    schema: count(1, 100_000_000, 'megabytes'),
    default: '5000',
  },
} satisfies Record<string, Setting>;

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path/posix';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

/** Files that differ from where this branch left main, or, on main, from its last commit; new ones too. */
export function changedFiles() {
  let base = 'HEAD';
  try {
    [base = 'HEAD'] = git('merge-base', 'HEAD', 'main');
  } catch {
    // No branch is called main here: what is not committed counts.
  }
  return [...new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')])];
}

/** The folder of test/ that mirrors one of src/, or the nearest above it that is there; none where that is test/ itself. */
function mirrorOf(folder) {
  if (folder === 'test') return [];
  return existsSync(folder) ? [`${folder}/`] : mirrorOf(dirname(folder));
}

/** Tests that mirror changed files: the folder of one in src, the test file of a tool, what the build makes, a changed test itself. */
export function changedTests(changed) {
  const mirrored = changed.flatMap((path) => {
    if (path.startsWith('src/')) return mirrorOf(dirname(path.replace(/^src/, 'test')));
    if (path.startsWith('.ci/')) return ['test/built/'];
    if (path.startsWith('tools/')) return [`test/${path.replace(/(\/index)?\.ts$/, '')}`];
    return path.startsWith('test/') && path.endsWith('.test.ts') ? [path] : [];
  });
  return [...new Set(mirrored)].filter((path) => path.startsWith('test/tools/') || existsSync(path));
}
